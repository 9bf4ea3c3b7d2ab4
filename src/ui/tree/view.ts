/** The view `holdfast.run`: shows `buildTree`, refreshes only the rows that differ. */
import {
  EventEmitter,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  window,
  workspace,
  type Command,
  type TreeDataProvider,
  type TreeView,
} from 'vscode';
import { isFinal } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { VIEWS, type CommandId } from '../../vscode/ids';
import { uriOf } from '../../vscode/roots';
import type { Ui } from '../context';
import { Throttle } from '../throttle';
import { buildTree } from './model';
import { changedRows, type TreeAction, type TreeNode } from './node';

const REFRESH_MS = 100;
const TICK_MS = 1000;

/** One object per id for as long as the row exists: VS Code tells rows apart by it. */
export interface TreeElement {
  node: TreeNode;
}

const command = (id: CommandId, title: string, ...given: unknown[]): Command => ({
  command: id,
  title,
  arguments: given,
});

function commandOf(action: TreeAction): Command {
  switch (action.do) {
    case 'transcript':
      return command('holdfast.openTranscript', 'Open Transcript');
    case 'output':
      return command('holdfast.showOutput', 'Show Output');
    case 'receipt':
      return command('holdfast.openReceipt', 'Open Receipt');
    case 'reconcile':
      return command('holdfast.showReconcile', 'Show What Changed');
    case 'answer':
      return command('holdfast.answer', 'Answer', { decisionId: action.decisionId, choice: action.choice });
    case 'change':
      return command('holdfast.showChange', 'Show Change', { decisionId: action.decisionId });
    case 'compare':
      return command(
        'holdfast.compareWithCheckpoint',
        'Compare with Checkpoint',
        { path: action.path, ...(action.from === 'start' ? { checkpoint: 'start' } : {}) },
        'view',
      );
    case 'openFile':
      return { command: 'vscode.open', title: 'Open', arguments: [uriOf(action.path)] };
  }
}

function toItem(node: TreeNode): TreeItem {
  const closed = node.open ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed;
  const item = new TreeItem(node.label, node.children.length > 0 ? closed : TreeItemCollapsibleState.None);
  item.id = node.id;
  if (node.description !== undefined) item.description = node.description;
  item.tooltip = node.tooltip ?? node.label;
  if (node.icon)
    item.iconPath = new ThemeIcon(
      node.icon.id,
      node.icon.color === undefined ? undefined : new ThemeColor(node.icon.color),
    );
  else if (node.path !== undefined) item.iconPath = ThemeIcon.File;
  if (node.path !== undefined) item.resourceUri = uriOf(node.path) ?? Uri.file(`/${node.path}`);
  if (node.context !== undefined) item.contextValue = node.context;
  if (node.spoken !== undefined) item.accessibilityInformation = { label: node.spoken };
  if (node.action) item.command = commandOf(node.action);
  return item;
}

class RunTree extends Disposable implements TreeDataProvider<TreeElement> {
  private readonly changed = this._register(new EventEmitter<TreeElement[] | undefined>());
  readonly onDidChangeTreeData = this.changed.event;
  private rows: TreeNode[] = [];
  private elements = new Map<string, TreeElement>();

  getTreeItem(element: TreeElement): TreeItem {
    return toItem(element.node);
  }

  getChildren(element?: TreeElement): TreeElement[] {
    return (element?.node.children ?? this.rows).map((node) => this.elementOf(node));
  }

  show(rows: TreeNode[]): void {
    const { root, ids } = changedRows(this.rows, rows);
    this.rows = rows;
    this.adopt(rows);
    if (root) this.changed.fire(undefined);
    else if (ids.length > 0)
      this.changed.fire(ids.map((id) => this.elements.get(id)).filter((one) => one !== undefined));
  }

  private elementOf(node: TreeNode): TreeElement {
    const known = this.elements.get(node.id);
    if (known) return known;
    const made = { node };
    this.elements.set(node.id, made);
    return made;
  }

  /** Known elements get their new row; those that are gone are dropped. */
  private adopt(rows: readonly TreeNode[]): void {
    const next = new Map<string, TreeElement>();
    const walk = (nodes: readonly TreeNode[]): void => {
      for (const node of nodes) {
        const known = this.elements.get(node.id) ?? { node };
        known.node = node;
        next.set(node.id, known);
        walk(node.children);
      }
    };
    walk(rows);
    this.elements = next;
  }
}

export class RunView extends Disposable {
  private readonly tree = this._register(new RunTree());
  private readonly view: TreeView<TreeElement>;
  private readonly draw: Throttle;

  constructor(private readonly ui: Ui) {
    super();
    this.view = this._register(
      window.createTreeView(VIEWS.run, { treeDataProvider: this.tree, showCollapseAll: true }),
    );
    this.draw = this._register(new Throttle(REFRESH_MS, () => this.refresh()));
    this._register(ui.watch.onDidChange(() => this.draw.call()));
    this._register(this.view.onDidChangeVisibility(() => this.seen()));
    // "unsaved" rows follow the editor; typing does not make a document dirty twice.
    let dirty = '';
    this._register(
      workspace.onDidChangeTextDocument(() => {
        const now = ui.buffers.dirty().join('\n');
        if (now !== dirty) this.draw.call();
        dirty = now;
      }),
    );
    const timer = setInterval(() => {
      const state = ui.watch.state;
      if (this.view.visible && state && !isFinal(state.status)) this.draw.call();
    }, TICK_MS);
    this._register({ dispose: () => clearInterval(timer) });
    this.refresh();
    // A run that waits is read at once, though after the start; one that has ended when somebody looks.
    setImmediate(() => void ui.watch.ensure({ final: this.view.visible }));
  }

  private seen(): void {
    this.draw.call();
    if (this.view.visible) void this.ui.watch.ensure({ final: true });
  }

  private refresh(): void {
    const state = this.ui.watch.state;
    const blocked = this.ui.blocked();
    const waiting = state?.decisions.filter((d) => d.state === 'pending').length ?? 0;
    this.tree.show(
      state && blocked !== 'noFolder' ? buildTree(state, Date.now(), new Set(this.ui.buffers.dirty())) : [],
    );
    this.view.badge =
      waiting > 0
        ? { value: waiting, tooltip: waiting === 1 ? 'One open question' : `${waiting} open questions` }
        : undefined;
  }
}

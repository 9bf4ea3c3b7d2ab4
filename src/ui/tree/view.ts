/** The view `holdfast.run`: shows `buildTree`, refreshes only the rows that differ. */
import { EventEmitter, window, workspace, type TreeDataProvider, type TreeItem, type TreeView } from 'vscode';
import { isFinal } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { VIEWS } from '../../vscode/ids';
import type { Ui } from '../context';
import { Throttle } from '../throttle';
import { buildTree } from './model';
import { toItem, type TreeElement } from './item';
import { changedRows, type TreeNode } from './node';

const REFRESH_MS = 100;
const TICK_MS = 1000;

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
    const { buffers, drafts } = this.ui;
    const shown = state && blocked !== 'noFolder';
    this.tree.show(
      shown ? buildTree(state, Date.now(), new Set(buffers.dirty()), drafts.begun, this.ui.core.heldBy()) : [],
    );
    this.view.badge =
      waiting > 0
        ? { value: waiting, tooltip: waiting === 1 ? 'One open question' : `${waiting} open questions` }
        : undefined;
  }
}

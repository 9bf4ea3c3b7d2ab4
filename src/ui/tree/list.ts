/** A view that shows rows made anew when something changed; rows below are made when they are opened. */
import { EventEmitter, window, type TreeDataProvider, type TreeItem, type TreeView } from 'vscode';
import { Disposable } from '../../vscode/disposable';
import type { Ui } from '../context';
import { Throttle } from '../throttle';
import { toItem, type TreeElement } from './item';
import type { TreeNode } from './node';

const REFRESH_MS = 250;

export class ListView extends Disposable implements TreeDataProvider<TreeElement> {
  private readonly changed = this._register(new EventEmitter<undefined>());
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: TreeView<TreeElement>;
  private shown = '';

  /** `rows`: pure, from what is there now. */
  constructor(
    ui: Ui,
    id: string,
    private readonly rows: () => readonly TreeNode[],
  ) {
    super();
    this.view = this._register(window.createTreeView(id, { treeDataProvider: this, showCollapseAll: false }));
    const draw = this._register(new Throttle(REFRESH_MS, () => this.refresh()));
    this._register(ui.watch.onDidChange(() => draw.call()));
    this._register(ui.watch.onDidChangeRun(() => draw.call()));
    this._register(this.view.onDidChangeVisibility(() => draw.call()));
  }

  getTreeItem(element: TreeElement): TreeItem {
    return toItem(element.node);
  }

  getChildren(element?: TreeElement): TreeElement[] {
    const rows = element ? (element.node.lazy?.() ?? element.node.children) : this.rows();
    return rows.map((node) => ({ node }));
  }

  /** Nothing is drawn while nobody looks, nor where nothing differs. */
  private refresh(): void {
    if (!this.view.visible) return;
    const now = JSON.stringify(this.rows());
    if (now === this.shown) return;
    this.shown = now;
    this.changed.fire(undefined);
  }
}

/** The diff of several files that a restore or a review is looked at in; its tab has the button that asks what goes back. */
import { commands, window, workspace, type Uri } from 'vscode';
import { Disposable } from '../../vscode/disposable';
import { ContextKeys } from '../../vscode/register';
import { uriOf } from '../../vscode/roots';
import { closeTitled, isTitled } from '../../vscode/tabs';
import { blobUri } from '../documents/blobs';
import { sidesOf, TITLES, type FileChoice, type Way } from './words';

export class ShownChanges extends Disposable {
  private readonly keys = new ContextKeys();
  /** What was shown last of each kind: a diff of several files tells nothing but its title. */
  private readonly ways = new Map<string, Way>();

  constructor() {
    super();
    this._register(window.tabGroups.onDidChangeTabs(() => this.look()));
    this._register(window.tabGroups.onDidChangeTabGroups(() => this.look()));
    this.look();
  }

  /** What the diff in front is about; undefined: it is none of ours, or was shown before this window was loaded. */
  get inFront(): Way | undefined {
    return this.ways.get(this.title ?? '');
  }

  private get title(): string | undefined {
    const { activeTab } = window.tabGroups.activeTabGroup;
    return Object.values(TITLES).find((title) => isTitled(activeTab, title));
  }

  private look(): void {
    this.keys.set('holdfast.showsChanges', this.title !== undefined);
  }

  async show(choices: readonly FileChoice[], way: Way): Promise<void> {
    const title = TITLES[way.kind];
    this.ways.set(title, way);
    const rows = await Promise.all(
      choices.map(async ({ plan }) => {
        const then = plan.after === null ? undefined : blobUri(plan.path, plan.after);
        const now = await nowOf(plan.movedFrom ?? plan.path);
        return [uriOf(plan.path) ?? blobUri(plan.path, null), ...sidesOf(way.kind, { then, now })];
      }),
    );
    await commands.executeCommand('vscode.changes', title, rows);
  }

  close(way: Way): Promise<void> {
    return closeTitled(TITLES[way.kind]);
  }
}

/** The file itself, so that it can be edited in the diff; undefined: nothing is there. */
async function nowOf(path: string): Promise<Uri | undefined> {
  const uri = uriOf(path);
  return (
    uri &&
    Promise.resolve(workspace.fs.stat(uri)).then(
      () => uri,
      () => undefined,
    )
  );
}

/** The answer `edit`: the human puts the text together in a merge editor, or beside what was proposed. */
import { commands, EventEmitter, window, workspace, type TextDocument, type Uri } from 'vscode';
import { hasMarks } from '../../core/conflictMarks';
import type { Decision } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { SCHEMES } from '../../vscode/ids';
import { completeMerge, dropMerge, openMergeEditor } from '../../vscode/mergeEditor';
import { ResultFiles } from '../../vscode/resultFiles';
import { edited, editedBy, editedInFront, tabsOf } from '../../vscode/tabs';
import { blobUri } from '../documents/blobs';
import { draftTitle, type Begun } from './choices';
import { until } from './until';

/** What the human has left: a text, nothing begun, or they go on with it. */
export type Left = { text: string } | 'nothing' | 'open' | 'marks';

const SHOWN_MS = 10_000;
const uriOf = (decision: Decision): Uri => ResultFiles.uri(decision.path ?? 'text', decision.id);
const isInFront = (uri: Uri): boolean => editedInFront()?.toString() === uri.toString();
const documentOf = (uri: Uri): TextDocument | undefined =>
  workspace.textDocuments.find((one) => !one.isClosed && one.uri.toString() === uri.toString());

export class Drafts extends Disposable {
  /** What each result began with, as its editor made it. */
  private readonly starts = new Map<string, string>();
  /** Those that were last told to differ from it. */
  private readonly others = new Set<string>();
  /** Their tabs close by our own doing. */
  private readonly ending = new Set<string>();
  private readonly closed = this._register(new EventEmitter<{ decisionId: string; path: string; text: string }>());
  /** The human closed the editor of a result they had saved and not sent. */
  readonly onDidClose = this.closed.event;

  /** `changed`: what is begun is another set now. */
  constructor(
    private readonly files: ResultFiles,
    private readonly changed: () => void,
  ) {
    super();
    this._register(workspace.registerFileSystemProvider(SCHEMES.result, files, { isCaseSensitive: true }));
    this._register(
      window.tabGroups.onDidChangeTabs(({ closed, opened }) => {
        const results = [...closed, ...opened].map((tab) => editedBy(tab)?.uri).filter((uri) => ResultFiles.keyOf(uri));
        if (results.length === 0) return;
        for (const tab of closed) void this.left(editedBy(tab)?.uri);
        this.changed();
      }),
    );
    this._register(
      workspace.onDidChangeTextDocument(({ document }) => {
        const id = ResultFiles.keyOf(document.uri);
        if (id === undefined || !this.starts.has(id)) return;
        const other = this.isOther(document.uri, id);
        if (other === this.others.has(id)) return;
        if (other) this.others.add(id);
        else this.others.delete(id);
        this.changed();
      }),
    );
  }

  /** The decisions whose result is open in an editor. */
  get begun(): Begun {
    return new Map(
      edited().flatMap((uri) => {
        const id = ResultFiles.keyOf(uri);
        return id === undefined ? [] : [[id, this.isOther(uri, id)] as const];
      }),
    );
  }

  /** The human has a text for it that is not what it began with. */
  differs(decision: Decision): boolean {
    return this.isOther(uriOf(decision), decision.id);
  }

  private isOther(uri: Uri, decisionId: string): boolean {
    const text = documentOf(uri)?.getText() ?? this.files.text(uri);
    return text !== undefined && text !== this.starts.get(decisionId) && !hasMarks(text);
  }

  private async left(uri: Uri | undefined): Promise<void> {
    const decisionId = ResultFiles.keyOf(uri);
    if (!uri || decisionId === undefined || this.ending.has(decisionId) || tabsOf(uri).length > 0) return;
    const text = this.files.text(uri);
    if (text === undefined) return;
    if (text === this.starts.get(decisionId) || hasMarks(text)) await this.forget(uri, decisionId);
    else this.closed.fire({ decisionId, path: uri.path.slice(1), text });
  }

  /** Closed after its question was settled: nobody can send it any more. */
  async drop(decision: string, path: string): Promise<void> {
    await this.forget(ResultFiles.uri(path, decision), decision);
  }

  private async forget(uri: Uri, decisionId: string): Promise<void> {
    this.starts.delete(decisionId);
    this.others.delete(decisionId);
    await this.files.remove(uri);
  }

  /**
   * Opens it, with what the human had saved of it where there is something. `marked`: a conflict with the marks of both sides in
   * it, for the merge editor; else one begins with `start`.
   */
  async begin(decision: Decision, start: string, marked: string | undefined): Promise<void> {
    const uri = uriOf(decision);
    const kept = this.files.text(uri);
    if (kept === undefined) await this.files.put(uri, marked ?? start);
    const document = await workspace.openTextDocument(uri);
    if (await this.show(decision, uri, marked !== undefined)) {
      // It takes the marks out and begins with the base there.
      await until(() => tabsOf(uri).length > 0 && !hasMarks(document.getText()), SHOWN_MS);
    }
    this.starts.set(decision.id, kept === undefined ? document.getText() : '');
    this.changed();
    // A merge editor leaves the keyboard where it was.
    if (await until(() => isInFront(uri), SHOWN_MS))
      await commands.executeCommand('workbench.action.focusActiveEditorGroup');
  }

  /** true: in a merge editor. */
  private async show(decision: Decision, output: Uri, marked: boolean): Promise<boolean> {
    const { path = 'text', change } = decision;
    const [mine, agent] = [blobUri(path, change?.before ?? null), blobUri(path, change?.after ?? null)];
    if (marked) {
      const input1 = { uri: mine, title: 'Yours', description: 'as it is now' };
      const input2 = { uri: agent, title: 'Agent’s', description: 'as it wants to write it' };
      const base = blobUri(path, change?.base ?? null);
      if (await openMergeEditor({ base, input1, input2, output })) return true;
      await window.showTextDocument(output, { preview: false });
      return false;
    }
    const left = decision.kind === 'conflict' ? agent : mine;
    await commands.executeCommand('vscode.diff', left, output, draftTitle(path, false), { preview: false });
    return false;
  }

  /** No tab goes on to say that it will be written. */
  private async showUnused(decision: Decision, uri: Uri): Promise<void> {
    const tabs = tabsOf(uri);
    if (tabs.some((tab) => editedBy(tab)?.merge)) return;
    this.ending.add(decision.id);
    const document = documentOf(uri);
    if (document?.isDirty) await document.save();
    if (tabs.length > 0) await window.tabGroups.close(tabs, true);
    const { path = 'text', change } = decision;
    const agent = blobUri(path, change?.after ?? null);
    const options = { preview: false, preserveFocus: true };
    await commands.executeCommand('vscode.diff', agent, uri, draftTitle(path, true), options);
    this.ending.delete(decision.id);
  }

  /** Ends the editing: a merge editor asks about what is not decided yet. */
  async finish(decision: Decision): Promise<Left> {
    const uri = uriOf(decision);
    const [tab] = tabsOf(uri);
    if (!tab) return 'nothing';
    if (editedBy(tab)?.merge) {
      this.ending.add(decision.id);
      const complete = await this.inFront(decision, uri, completeMerge);
      this.ending.delete(decision.id);
      if (!complete) return 'open';
    }
    const text = documentOf(uri)?.getText() ?? this.files.text(uri) ?? '';
    return hasMarks(text) ? 'marks' : { text };
  }

  /** What VS Code does with a merge editor it does with the one in front. */
  private async inFront<T>(decision: Decision, uri: Uri, act: () => Promise<T>): Promise<T | undefined> {
    await this.show(decision, uri, true);
    return (await until(() => isInFront(uri), SHOWN_MS)) ? act() : undefined;
  }

  /**
   * The question is settled: its editor goes. Not where the human has written in it and it was not used: their words are nowhere
   * else, so it stays open as theirs. false: it does.
   */
  async end(decision: Decision, used: boolean): Promise<boolean> {
    const uri = uriOf(decision);
    const text = documentOf(uri)?.getText() ?? this.files.text(uri);
    if (text === undefined || this.ending.has(decision.id)) return true;
    if (!used && text !== this.starts.get(decision.id)) {
      await this.showUnused(decision, uri);
      return false;
    }
    this.ending.add(decision.id);
    await this.close(decision, uri);
    await this.forget(uri, decision.id);
    this.ending.delete(decision.id);
    return true;
  }

  /** Nothing is asked: it is saved first. */
  private async close(decision: Decision, uri: Uri): Promise<void> {
    if (tabsOf(uri).some((tab) => editedBy(tab)?.merge)) await this.inFront(decision, uri, dropMerge);
    const document = documentOf(uri);
    if (document?.isDirty) await document.save();
    const tabs = tabsOf(uri);
    if (tabs.length > 0) await window.tabGroups.close(tabs, true);
  }
}

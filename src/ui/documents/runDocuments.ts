/** Read-only documents made from a run: transcript, handover brief, receipts, reconcile report. They follow the run. */
import { DocumentLink, EventEmitter, languages, Range, Uri, window, workspace, type TextDocument } from 'vscode';
import type { RunState } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { LANGUAGE, SCHEMES, type CommandId } from '../../vscode/ids';
import type { Ui } from '../context';
import { uriOf } from '../../vscode/roots';
import { VscodeSettings } from '../../vscode/settings';
import type { ReceiptTarget } from '../render/receipt';
import { stateLine } from '../render/stateLine';
import { Throttle } from '../throttle';
import { documentPath, namedBy } from './names';
import { TailFollower } from './tail';

export type DocumentKind = 'Transcript' | 'Handover Brief' | 'Receipts' | 'What Changed';

/** Documents about one part of a run, by its number. */
export type PartKind = 'Step' | 'Approval';
const REFRESH_MS = 200;

const schemeOf = (kind: DocumentKind): string => (kind === 'Transcript' ? SCHEMES.transcript : SCHEMES.document);
const isOurs = ({ scheme }: Uri): boolean => scheme === SCHEMES.transcript || scheme === SCHEMES.document;
const documentUri = (kind: DocumentKind, state: RunState): Uri =>
  Uri.from({ scheme: schemeOf(kind), path: documentPath(kind, state) });

const partUri = (kind: PartKind, state: RunState, n: number): Uri =>
  Uri.from({ scheme: SCHEMES.document, path: documentPath(`${kind} ${n}`, state) });

/** Commands in links are given a second argument, so that they know that a human pressed. */
const commandUri = (id: CommandId, argument: object): Uri =>
  Uri.parse(`command:${id}?${encodeURIComponent(JSON.stringify([argument, 'link']))}`);

function targetUri(state: RunState, target: ReceiptTarget): Uri {
  switch (target.to) {
    case 'step':
      return partUri('Step', state, target.n);
    case 'approval':
      return partUri('Approval', state, target.n);
    case 'file': {
      const { path, before, after } = target;
      return commandUri('holdfast.showFileChange', { path, before, after });
    }
    case 'undo':
      return commandUri('holdfast.compensate', { stepId: target.stepId });
  }
}

export class RunDocuments extends Disposable {
  private readonly changed = this._register(new EventEmitter<Uri>());
  private readonly tail = this._register(new TailFollower(SCHEMES.transcript));
  private readonly settings = new VscodeSettings();
  private readonly dirty = new Set<string>();

  constructor(private readonly ui: Ui) {
    super();
    const provider = { onDidChange: this.changed.event, provideTextDocumentContent: (uri: Uri) => this.text(uri) };
    this._register(workspace.registerTextDocumentContentProvider(SCHEMES.transcript, provider));
    this._register(workspace.registerTextDocumentContentProvider(SCHEMES.document, provider));
    const links = { provideDocumentLinks: (document: TextDocument) => this.links(document) };
    for (const scheme of [SCHEMES.document, SCHEMES.transcript])
      this._register(languages.registerDocumentLinkProvider({ scheme }, links));
    const send = this._register(new Throttle(REFRESH_MS, () => this.send()));
    this._register(
      ui.watch.onDidChangeRun((state) => {
        this.dirty.add(state.runId);
        send.call();
      }),
    );
    this._register(workspace.onDidOpenTextDocument((document) => void this.setLanguage(document)));
    for (const document of workspace.textDocuments) void this.setLanguage(document);
  }

  async open(kind: DocumentKind, runId: string): Promise<void> {
    const state = await this.stateOf(runId);
    if (!state) return;
    const uri = documentUri(kind, state);
    // It may be open from before: what is shown now is made now.
    this.changed.fire(uri);
    const document = await workspace.openTextDocument(uri);
    await this.setLanguage(document);
    await window.showTextDocument(document, { preview: false });
    if (kind === 'Transcript') this.tail.toEnd(uri);
  }

  private async text(uri: Uri): Promise<string> {
    const asked = namedBy(uri.path);
    const state = asked && (await this.stateOf(asked.runId));
    const line = state ? stateLine(state, Date.now()).text : '';
    const text = state && this.ui.texts().textOf(asked.name, state, line, this.settings.secretPaths());
    return text ?? 'This run is no longer stored.\n';
  }

  private async stateOf(runId: string): Promise<RunState | undefined> {
    return this.ui.core.get(runId) ?? this.ui.core.load(runId);
  }

  /** Steps of the transcript and the evidence of receipts open with a click, and so does a file of the run, if it is not gone. */
  private links(document: TextDocument): DocumentLink[] {
    const shown = namedBy(document.uri.path);
    const state = this.ui.core.get(shown?.runId ?? '');
    const texts = this.ui.texts();
    const found = state && shown ? texts.linksOf(shown.name, state, document.getText()) : [];
    const own = found.flatMap(({ start, end, target, id }) => {
      if (!state) return [];
      const range = new Range(document.positionAt(start), document.positionAt(end));
      const link = new DocumentLink(range, targetUri(state, target));
      if (id !== undefined) link.tooltip = id;
      return [link];
    });
    if (shown?.name === 'Transcript') return own;
    const there = state?.files.filter((f) => !f.deletedByHuman && (f.by !== 'agent' || f.written !== null)) ?? [];
    const paths = there.map((f) => f.path);
    const files = texts.linksIn(document.getText(), paths).flatMap(({ path, start, end }) => {
      const uri = uriOf(path);
      return uri ? [new DocumentLink(new Range(document.positionAt(start), document.positionAt(end)), uri)] : [];
    });
    return [...own, ...files.filter(({ range }) => !own.some((one) => one.range.intersection(range)))];
  }

  private send(): void {
    const runs = [...this.dirty];
    this.dirty.clear();
    // A brief is a picture of its moment only as long as nobody has gone on.
    for (const { uri } of workspace.textDocuments) {
      if (!isOurs(uri)) continue;
      const shown = namedBy(uri.path);
      if (!shown || !runs.includes(shown.runId)) continue;
      if (shown.name === 'Transcript') this.tail.beforeChange(uri);
      this.changed.fire(uri);
    }
  }

  private async setLanguage(document: TextDocument): Promise<void> {
    if (isOurs(document.uri) && document.languageId !== LANGUAGE)
      await languages.setTextDocumentLanguage(document, LANGUAGE);
  }
}

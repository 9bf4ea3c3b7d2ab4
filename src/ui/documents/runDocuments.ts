/** Read-only documents made from a run: transcript, handover brief, receipts, reconcile report. They follow the run. */
import { DocumentLink, EventEmitter, languages, Range, Uri, window, workspace, type TextDocument } from 'vscode';
import type { RunState } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { LANGUAGE, SCHEMES, type CommandId } from '../../vscode/ids';
import type { Ui } from '../context';
import { uriOf } from '../../vscode/roots';
import { renderHandover } from '../render/handover';
import { linksIn } from '../render/links';
import { receiptLinks, renderReceipts, type ReceiptLink, type ReceiptTarget } from '../render/receipt';
import { renderReconcile } from '../render/reconcile';
import { renderApproval, renderStep } from '../render/step';
import { renderTranscript, stepLinks } from '../render/transcript';
import { Throttle } from '../throttle';
import { documentPath, namedBy } from './names';
import { TailFollower } from './tail';

export type DocumentKind = 'Transcript' | 'Handover Brief' | 'Receipts' | 'What Changed';

const RENDER: Readonly<Record<DocumentKind, (state: RunState) => string>> = {
  Transcript: renderTranscript,
  'Handover Brief': (state) => renderHandover(state, Date.now()),
  Receipts: renderReceipts,
  'What Changed': renderReconcile,
};

/** Documents about one part of a run, by its number. */
export type PartKind = 'Step' | 'Approval';
const PARTS: Readonly<Record<PartKind, (state: RunState, n: number) => string>> = {
  Step: renderStep,
  Approval: renderApproval,
};

const REFRESH_MS = 200;

const schemeOf = (kind: DocumentKind): string => (kind === 'Transcript' ? SCHEMES.transcript : SCHEMES.document);
const isOurs = ({ scheme }: Uri): boolean => scheme === SCHEMES.transcript || scheme === SCHEMES.document;
const documentUri = (kind: DocumentKind, state: RunState): Uri =>
  Uri.from({ scheme: schemeOf(kind), path: documentPath(kind, state) });

const partUri = (kind: PartKind, state: RunState, n: number): Uri =>
  Uri.from({ scheme: SCHEMES.document, path: documentPath(`${kind} ${n}`, state) });

function read(uri: Uri): { kind: string; runId: string; render: (state: RunState) => string } | undefined {
  const named = namedBy(uri.path);
  if (!named) return undefined;
  const { runId, name: kind } = named;
  if (Object.hasOwn(RENDER, kind)) return { runId, kind, render: RENDER[kind as DocumentKind] };
  const [, part, n] = /^(Step|Approval) (\d+)$/.exec(kind) ?? [];
  return part === undefined ? undefined : { runId, kind, render: (state) => PARTS[part as PartKind](state, Number(n)) };
}

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

function linesOf(state: RunState, kind: string | undefined, text: string): ReceiptLink[] {
  if (kind === 'Receipts') return receiptLinks(state, text);
  return kind === 'Transcript' ? stepLinks(text, state.steps) : [];
}

export class RunDocuments extends Disposable {
  private readonly changed = this._register(new EventEmitter<Uri>());
  private readonly tail = this._register(new TailFollower(SCHEMES.transcript));
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
    const asked = read(uri);
    const state = asked && (await this.stateOf(asked.runId));
    return asked && state ? asked.render(state) : 'This run is no longer stored.\n';
  }

  private async stateOf(runId: string): Promise<RunState | undefined> {
    return this.ui.core.get(runId) ?? this.ui.core.load(runId);
  }

  /** Steps of the transcript and the evidence of receipts open with a click, and so does a file of the run, if it is not gone. */
  private links(document: TextDocument): DocumentLink[] {
    const shown = read(document.uri);
    const state = this.ui.core.get(shown?.runId ?? '');
    const found = state ? linesOf(state, shown?.kind, document.getText()) : [];
    const own = found.flatMap(({ start, end, target, id }) => {
      if (!state) return [];
      const range = new Range(document.positionAt(start), document.positionAt(end));
      const link = new DocumentLink(range, targetUri(state, target));
      if (id !== undefined) link.tooltip = id;
      return [link];
    });
    if (shown?.kind === 'Transcript') return own;
    const there = state?.files.filter((f) => !f.deletedByHuman && (f.by !== 'agent' || f.written !== null)) ?? [];
    const paths = there.map((f) => f.path);
    const files = linksIn(document.getText(), paths).flatMap(({ path, start, end }) => {
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
      const shown = read(uri);
      if (!shown || !runs.includes(shown.runId)) continue;
      if (shown.kind === 'Transcript') this.tail.beforeChange(uri);
      this.changed.fire(uri);
    }
  }

  private async setLanguage(document: TextDocument): Promise<void> {
    if (isOurs(document.uri) && document.languageId !== LANGUAGE)
      await languages.setTextDocumentLanguage(document, LANGUAGE);
  }
}

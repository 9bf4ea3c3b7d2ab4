/** Read-only documents made from a run: transcript, handover brief, receipts, reconcile report. They follow the run. */
import { DocumentLink, EventEmitter, languages, Range, Uri, window, workspace, type TextDocument } from 'vscode';
import type { RunState } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { LANGUAGE, SCHEMES } from '../../vscode/ids';
import type { Ui } from '../context';
import { uriOf } from '../../vscode/roots';
import { renderHandover } from '../render/handover';
import { linksIn } from '../render/links';
import { renderReceipts } from '../render/receipt';
import { renderReconcile } from '../render/reconcile';
import { renderTranscript } from '../render/transcript';
import { Throttle } from '../throttle';
import { TailFollower } from './tail';

export type DocumentKind = 'Transcript' | 'Handover Brief' | 'Receipts' | 'What Changed';

const RENDER: Readonly<Record<DocumentKind, (state: RunState) => string>> = {
  Transcript: renderTranscript,
  'Handover Brief': (state) => renderHandover(state, Date.now()),
  Receipts: renderReceipts,
  'What Changed': renderReconcile,
};

const REFRESH_MS = 200;

const schemeOf = (kind: DocumentKind): string => (kind === 'Transcript' ? SCHEMES.transcript : SCHEMES.document);
const documentUri = (kind: DocumentKind, runId: string): Uri =>
  Uri.from({ scheme: schemeOf(kind), path: `/${runId}/${kind}` });

function read(uri: Uri): { kind: DocumentKind; runId: string } | undefined {
  const [runId, kind] = uri.path.slice(1).split('/');
  return runId && kind && Object.hasOwn(RENDER, kind) ? { runId, kind: kind as DocumentKind } : undefined;
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
    this._register(languages.registerDocumentLinkProvider({ scheme: SCHEMES.document }, links));
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
    const uri = documentUri(kind, runId);
    // It may be open from before: what is shown now is made now.
    this.changed.fire(uri);
    const document = await workspace.openTextDocument(uri);
    await this.setLanguage(document);
    await window.showTextDocument(document, { preview: false });
    if (kind === 'Transcript') this.tail.toEnd(uri);
  }

  private async text(uri: Uri): Promise<string> {
    const asked = read(uri);
    const state = asked && (this.ui.core.get(asked.runId) ?? (await this.ui.core.load(asked.runId)));
    return asked && state ? RENDER[asked.kind](state) : 'This run is no longer stored.\n';
  }

  /** A file of the run opens with a click; not one that is gone. */
  private links(document: TextDocument): DocumentLink[] {
    const state = this.ui.core.get(read(document.uri)?.runId ?? '');
    const there = state?.files.filter((f) => !f.deletedByHuman && (f.by !== 'agent' || f.written !== null)) ?? [];
    const paths = there.map((f) => f.path);
    return linksIn(document.getText(), paths).flatMap(({ path, start, end }) => {
      const uri = uriOf(path);
      return uri ? [new DocumentLink(new Range(document.positionAt(start), document.positionAt(end)), uri)] : [];
    });
  }

  private send(): void {
    const runs = [...this.dirty];
    this.dirty.clear();
    const open = new Set(workspace.textDocuments.map((document) => document.uri.toString()));
    for (const runId of runs) {
      for (const kind of Object.keys(RENDER) as DocumentKind[]) {
        const uri = documentUri(kind, runId);
        // A brief is a picture of its moment only as long as nobody has gone on.
        if (!open.has(uri.toString())) continue;
        if (kind === 'Transcript') this.tail.beforeChange(uri);
        this.changed.fire(uri);
      }
    }
  }

  private async setLanguage(document: TextDocument): Promise<void> {
    const ours = document.uri.scheme === SCHEMES.transcript || document.uri.scheme === SCHEMES.document;
    if (ours && document.languageId !== LANGUAGE) await languages.setTextDocumentLanguage(document, LANGUAGE);
  }
}

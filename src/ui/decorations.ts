/** Marks in the explorer and on tabs: files the run has written, and those the human has changed since. */
import { createHash } from 'node:crypto';
import {
  EventEmitter,
  FileDecoration,
  ThemeColor,
  window,
  workspace,
  type FileDecorationProvider,
  type Uri,
} from 'vscode';
import { isFinal, type FileRecord } from '../core/run/state';
import { Disposable } from '../vscode/disposable';
import { pathOf, uriOf } from '../vscode/roots';
import type { Ui } from './context';
import { markOf, type FileMark } from './fileMark';
import { Throttle } from './throttle';

const REFRESH_MS = 300;
/** Larger files are not read for a mark: what the last report said of them stands. */
const LARGEST = 10_000_000;

const SHOWN: Readonly<Record<FileMark, { badge: string; color: string; tooltip: string }>> = {
  agent: { badge: 'H', color: 'charts.blue', tooltip: 'Written by the run (Holdfast)' },
  human: { badge: 'Y', color: 'charts.green', tooltip: 'Changed by you since the run saw it (Holdfast)' },
};

export class RunDecorations extends Disposable implements FileDecorationProvider {
  private readonly changed = this._register(new EventEmitter<Uri[]>());
  readonly onDidChangeFileDecorations = this.changed.event;
  /** Records as they were last told to VS Code, by path. */
  private told = new Map<string, FileRecord>();
  private begun = false;

  constructor(private readonly ui: Ui) {
    super();
    const draw = this._register(new Throttle(REFRESH_MS, () => this.tell()));
    this._register(ui.watch.onDidChange(() => draw.call()));
    if (ui.watch.state) draw.call();
  }

  /** A window in which no run has touched a file watches none. */
  private begin(): void {
    if (this.begun || this.isDisposed) return;
    this.begun = true;
    this._register(workspace.onDidSaveTextDocument(({ uri }) => this.again(uri)));
    const watcher = this._register(workspace.createFileSystemWatcher('**/*'));
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete])
      this._register(event((uri) => this.again(uri)));
    this._register(window.registerFileDecorationProvider(this));
  }

  async provideFileDecoration(uri: Uri): Promise<FileDecoration | undefined> {
    const path = pathOf(uri);
    const file = path === undefined ? undefined : this.records().get(path);
    const mark = file && markOf(file, await hashOf(uri));
    if (!mark) return undefined;
    const { badge, color, tooltip } = SHOWN[mark];
    return new FileDecoration(badge, tooltip, new ThemeColor(color));
  }

  /** A run that has ended marks nothing: its files are the human's again. */
  private records(): Map<string, FileRecord> {
    const s = this.ui.watch.state;
    return new Map(s && !isFinal(s.status) ? s.files.map((f) => [f.path, f]) : []);
  }

  private tell(): void {
    const now = this.records();
    if (now.size > 0) this.begin();
    const differ = [...new Set([...now.keys(), ...this.told.keys()])].filter((p) => now.get(p) !== this.told.get(p));
    this.told = now;
    const uris = differ.map((path) => uriOf(path)).filter((uri) => uri !== undefined);
    if (uris.length > 0) this.changed.fire(uris);
  }

  private again(uri: Uri): void {
    const path = pathOf(uri);
    if (path !== undefined && this.told.has(path)) this.changed.fire([uri]);
  }
}

/** SHA-256 of what is on disk; null: nothing is there. undefined: too large, or not to be read. */
async function hashOf(uri: Uri): Promise<string | null | undefined> {
  try {
    if ((await workspace.fs.stat(uri)).size > LARGEST) return undefined;
    return createHash('sha256')
      .update(await workspace.fs.readFile(uri))
      .digest('hex');
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'FileNotFound' ? null : undefined;
  }
}

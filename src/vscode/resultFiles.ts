/**
 * `holdfast-result:` files: what the human puts together for a file, before it counts. Saving one writes nothing in the
 * workspace: it is kept, across reloads too, until its question is settled.
 */
import { EventEmitter, FileSystemError, FileType, Uri, type FileChangeEvent, type FileSystemProvider } from 'vscode';
import { FileChangeType, type FileStat, type Memento } from 'vscode';
import { Disposable } from './disposable';
import { SCHEMES } from './ids';

const KEY = 'holdfast.results';
/** With its mark it is read as UTF-8, whatever `files.encoding` says. */
const MARK = '\uFEFF';

const NOTHING = (): void => undefined;

export class ResultFiles extends Disposable implements FileSystemProvider {
  private readonly events = this._register(new EventEmitter<FileChangeEvent[]>());
  readonly onDidChangeFile = this.events.event;
  private readonly written = new Map<string, number>();

  constructor(private readonly memory: Pick<Memento, 'get' | 'update'>) {
    super();
  }

  /** The path gives the tab its name and language, the key tells results for one path apart. */
  static uri(path: string, key: string): Uri {
    return Uri.from({ scheme: SCHEMES.result, path: `/${path}`, query: key });
  }

  static keyOf(uri: Uri | undefined): string | undefined {
    return uri?.scheme === SCHEMES.result ? uri.query : undefined;
  }

  /** As it was saved last. */
  text(uri: Uri): string | undefined {
    return this.all()[uri.toString()];
  }

  async put(uri: Uri, text: string): Promise<void> {
    const name = uri.toString();
    const type = this.all()[name] === undefined ? FileChangeType.Created : FileChangeType.Changed;
    this.written.set(name, Math.max(Date.now(), (this.written.get(name) ?? 0) + 1));
    await this.memory.update(KEY, { ...this.all(), [name]: text });
    this.events.fire([{ type, uri }]);
  }

  async remove(uri: Uri): Promise<void> {
    const name = uri.toString();
    if (this.all()[name] === undefined) return;
    await this.memory.update(KEY, Object.fromEntries(Object.entries(this.all()).filter(([one]) => one !== name)));
    this.events.fire([{ type: FileChangeType.Deleted, uri }]);
  }

  stat(uri: Uri): FileStat {
    const size = this.bytes(uri).length;
    return { type: FileType.File, ctime: 0, mtime: this.written.get(uri.toString()) ?? 0, size };
  }

  readFile(uri: Uri): Uint8Array {
    return this.bytes(uri);
  }

  writeFile(uri: Uri, content: Uint8Array): Promise<void> {
    return this.put(uri, new TextDecoder().decode(content));
  }

  delete(uri: Uri): Promise<void> {
    return this.remove(uri);
  }

  watch(): Disposable {
    return new Disposable();
  }

  readDirectory(): [string, FileType][] {
    return [];
  }

  createDirectory = NOTHING;

  rename(from: Uri): never {
    throw FileSystemError.NoPermissions(from);
  }

  private all(): Record<string, string> {
    return this.memory.get<Record<string, string>>(KEY, {});
  }

  private bytes(uri: Uri): Uint8Array {
    const text = this.text(uri);
    if (text === undefined) throw FileSystemError.FileNotFound(uri);
    return new TextEncoder().encode(MARK + text);
  }
}

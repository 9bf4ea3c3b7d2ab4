/**
 * Open documents as an editor keeps them: a clean one follows the disk a moment later, a dirty one keeps its text. They outlive
 * a crash of the host (hot exit).
 */
import type { Buffers, BufferSeen, BufferState, DocumentEncoding, Path } from '../../src/core/ports';
import { dominantEol, toLf, type Eol } from '../../src/core/reconcile/lines';
import { decode, encode, type Encoding } from '../../src/core/reconcile/text';
import type { SimFiles } from './files';
import type { Turns } from './turns';

interface Document {
  text: string;
  dirty: boolean;
  version: number;
  eol: Eol;
  encoding: Encoding;
}

const isStill = (doc: Document, seen: BufferSeen | undefined): boolean =>
  seen === undefined || (doc.version === seen.version && doc.text === seen.text);

export interface BufferChange {
  op: 'edit' | 'save' | 'discard';
  path: Path;
  before: string;
  after: string;
}

export interface Codec {
  id: string;
  decode(bytes: Uint8Array): string;
  /** As an editor saves: `?` for what it lacks. */
  encode(text: string): Uint8Array;
}

export class SimBuffers implements Buffers {
  /** Called in the moment the run changes a document (or, by `save`, the disk below it). */
  onChange: ((change: BufferChange) => void) | undefined;
  /** Of documents that are read and written in an encoding their bytes do not tell. */
  readonly codecs = new Map<Path, Codec>();
  private readonly documents = new Map<Path, Document>();

  constructor(
    private readonly turns: Turns,
    private readonly files: SimFiles,
  ) {}

  // ---------------------------------------------------------- the human, at once

  open(path: Path): boolean {
    return this.documents.has(path) || this.load(path, 0);
  }

  /** false: there is no such text file. */
  type(path: Path, change: (lines: string[]) => string[]): boolean {
    if (!this.open(path)) return false;
    const doc = this.documents.get(path);
    if (!doc) return false;
    const next = change(toLf(doc.text).split('\n')).join(doc.eol);
    if (next === doc.text) return true;
    this.documents.set(path, { ...doc, text: next, version: doc.version + 1, dirty: true });
    return true;
  }

  saveByHuman(path: Path): void {
    const doc = this.documents.get(path);
    if (doc?.dirty) this.toDisk(path, doc);
  }

  /** Clean documents show the disk; those whose file is gone are closed. */
  follow(): void {
    for (const [path, doc] of [...this.documents]) {
      if (!doc.dirty && !this.load(path, doc.version + 1)) this.documents.delete(path);
    }
  }

  closeDocument(path: Path): void {
    this.documents.delete(path);
  }

  // ---------------------------------------------------------- the port

  get(path: Path): BufferState | undefined {
    const doc = this.documents.get(path);
    return doc && { path, text: doc.text, dirty: doc.dirty, version: doc.version, eol: doc.eol };
  }

  encoding(path: Path): DocumentEncoding | undefined {
    const codec = this.codecs.get(path);
    return (
      codec && {
        id: codec.id,
        decode: (bytes) => Promise.resolve(codec.decode(bytes)),
        encode: (text) => Promise.resolve(codec.encode(text)),
      }
    );
  }

  dirty(): readonly Path[] {
    return [...this.documents].filter(([, doc]) => doc.dirty).map(([path]) => path);
  }

  async edit(path: Path, seen: BufferSeen, text: string): Promise<boolean> {
    await this.turns.take();
    const doc = this.documents.get(path);
    if (!doc || !isStill(doc, seen)) return false;
    this.onChange?.({ op: 'edit', path, before: doc.text, after: text });
    this.documents.set(path, { ...doc, text, version: doc.version + 1, dirty: true });
    await this.turns.take();
    return true;
  }

  async save(path: Path, seen?: BufferSeen): Promise<boolean> {
    await this.turns.take();
    const doc = this.documents.get(path);
    if (!doc || !isStill(doc, seen)) return false;
    if (doc.dirty) {
      this.onChange?.({ op: 'save', path, before: this.files.text(path) ?? '', after: doc.text });
      this.toDisk(path, doc);
    }
    await this.turns.take();
    return true;
  }

  async discard(path: Path, seen: BufferSeen): Promise<boolean> {
    await this.turns.take();
    const doc = this.documents.get(path);
    if (!doc || !isStill(doc, seen)) return false;
    this.onChange?.({ op: 'discard', path, before: doc.text, after: this.files.text(path) ?? '' });
    if (!this.load(path, doc.version + 1)) this.documents.delete(path);
    await this.turns.take();
    return true;
  }

  /** The editor never answers after a write to disk. */
  hangs = false;

  async settle(path: Path): Promise<'shown' | 'dirty' | 'notOpen' | 'late'> {
    if (this.hangs) return new Promise(() => undefined);
    // The gap in which a human may type over a text that is no longer that of the disk.
    await this.turns.take();
    const doc = this.documents.get(path);
    if (!doc) return 'notOpen';
    if (doc.dirty) return 'dirty';
    this.follow();
    await this.turns.take();
    return 'shown';
  }

  private load(path: Path, version: number): boolean {
    const bytes = this.files.bytes(path);
    const codec = this.codecs.get(path);
    const as = codec && { ...codec, lacks: () => undefined };
    const view = bytes && (as ? { text: as.decode(bytes), encoding: as } : decode(bytes));
    if (!view) return false;
    const eol = dominantEol(view.text);
    const text = toLf(view.text).replaceAll('\n', eol);
    this.documents.set(path, { text, dirty: false, version, eol, encoding: view.encoding });
    return true;
  }

  private toDisk(path: Path, doc: Document): void {
    this.files.put(path, encode(doc.text, doc.encoding));
    this.documents.set(path, { ...doc, dirty: false });
  }
}

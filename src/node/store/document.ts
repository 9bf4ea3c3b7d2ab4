/** A JSON document in one file, as an adapter for lowdb: its own writes without a fixed temporary name and with fsync. */
import type { Adapter } from 'lowdb';
import type { FsCalls } from '../fs';
import { readWhole, replaceFile, setAside } from './generations';
import { checkSum, jsonPieces, readLined, type TakeElement, type WriteElement } from './jsonText';
import { previousOf } from './layout';

/** Documents of version 1 have no sum. */
const SUMMED_SINCE = 2;

/** What was found in the newest file. */
export type Found<T> =
  | { kind: 'missing' }
  | { kind: 'good'; data: T }
  /** Written by a newer version of the extension: not to be changed. */
  | { kind: 'newer'; version: number }
  | { kind: 'damaged'; why: string };

export class DocumentAdapter<T extends object> implements Adapter<T> {
  /** What the newest file is, where only this adapter writes it and has looked at it. */
  private known: Found<T>['kind'] | undefined;
  private length = 0;

  constructor(
    private readonly fs: FsCalls,
    private readonly file: string,
    /** Looks at parsed JSON. */
    private readonly judge: (value: unknown) => Found<T>,
    /** Nobody else writes the file while this adapter lives: it is not read again before each write. */
    private readonly soleWriter: boolean,
    /** What its elements have in common is written once; each made for one read, for one write. */
    private readonly shared?: { hear: () => TakeElement; write: (data: T) => WriteElement },
  ) {}

  /** Bytes of the newest file as last written or looked at. */
  get bytes(): number {
    return this.length;
  }

  /** The newest generation, or the one before where the newest is damaged or gone; null: neither. */
  async read(): Promise<T | null> {
    const newest = await this.look();
    if (newest.kind === 'good') return newest.data;
    if (newest.kind === 'newer') return null;
    const before = await this.lookBefore();
    return before.kind === 'good' ? before.data : null;
  }

  /**
   * Written in pieces, between which other work goes on: what `data` refers to must not change meanwhile. Rejects with
   * code `NEWER`, changing nothing, where a newer version of the extension wrote the file.
   */
  async write(data: T): Promise<void> {
    if (!this.soleWriter || this.known === undefined) await this.look();
    if (this.known === 'newer') throw newerError(this.file);
    if (this.known === 'damaged') await setAside(this.fs, this.file);
    this.known = undefined;
    this.length = await replaceFile(
      this.fs,
      this.file,
      jsonPieces(data, this.shared?.write(data)),
      previousOf(this.file),
    );
    this.known = 'good';
  }

  async look(): Promise<Found<T>> {
    const { found, bytes } = await this.lookAt(this.file);
    this.known = found.kind;
    this.length = bytes;
    return found;
  }

  async lookBefore(): Promise<Found<T>> {
    return (await this.lookAt(previousOf(this.file))).found;
  }

  private async lookAt(file: string): Promise<{ found: Found<T>; bytes: number }> {
    const lined = await readLined(this.fs, file, this.shared?.hear());
    if (lined !== undefined) return { found: this.judge(lined.value), bytes: lined.bytes };
    const bytes = await readWhole(this.fs, file);
    return { found: this.judgeBytes(bytes), bytes: bytes?.length ?? 0 };
  }

  /** Of a file that is not as this version writes it, or damaged. */
  private judgeBytes(bytes: Uint8Array | undefined): Found<T> {
    if (bytes === undefined) return { kind: 'missing' };
    let text: string;
    let value: unknown;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      value = JSON.parse(text);
    } catch {
      return { kind: 'damaged', why: bytes.length === 0 ? 'empty' : 'cut off or not JSON' };
    }
    const found = this.judge(value);
    if (found.kind !== 'good') return found;
    const sum = checkSum(text);
    const wanted = isRecord(value) && Number(value['schemaVersion']) >= SUMMED_SINCE;
    if (sum === 'bad' || (sum === 'none' && wanted)) return { kind: 'damaged', why: 'its sum does not fit' };
    return found;
  }
}

/** Reads the version of a document before anything else of it is believed. `record` is without the sum. */
export function judgeVersion(
  value: unknown,
  known: number,
): { record: Record<string, unknown>; version: number } | { found: Found<never> } {
  if (!isRecord(value)) return { found: { kind: 'damaged', why: 'not an object' } };
  const version = value['schemaVersion'];
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
    return { found: { kind: 'damaged', why: 'no schema version' } };
  }
  if (version > known) return { found: { kind: 'newer', version } };
  const record = { ...value };
  delete record['sum'];
  return { record, version };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function newerError(file: string): Error {
  return Object.assign(new Error(`written by a newer version, not changed: ${file}`), { code: 'NEWER' });
}

/** A JSON document in one file, as an adapter for lowdb: its own writes without a fixed temporary name and with fsync. */
import type { Adapter } from 'lowdb';
import type { FsCalls } from '../fs';
import { readWhole, replaceFile, setAside } from './generations';
import { previousOf } from './layout';

/** What was found in the newest file. */
export type Found<T> =
  | { kind: 'missing' }
  | { kind: 'good'; data: T }
  /** Written by a newer version of the extension: not to be changed. */
  | { kind: 'newer'; version: number }
  | { kind: 'damaged'; why: string };

export class DocumentAdapter<T> implements Adapter<T> {
  constructor(
    private readonly fs: FsCalls,
    private readonly file: string,
    /** Looks at parsed JSON. */
    private readonly judge: (value: unknown) => Found<T>,
  ) {}

  /** The newest generation, or the one before where the newest is damaged or gone; null: neither. */
  async read(): Promise<T | null> {
    const newest = await this.look();
    if (newest.kind === 'good') return newest.data;
    if (newest.kind === 'newer') return null;
    const before = await this.lookBefore();
    return before.kind === 'good' ? before.data : null;
  }

  /** Rejects with a plain Error, changing nothing, where a newer version of the extension wrote the file. */
  async write(data: T): Promise<void> {
    const newest = await this.look();
    if (newest.kind === 'newer') throw newerError(this.file, newest.version);
    if (newest.kind === 'damaged') await setAside(this.fs, this.file);
    await replaceFile(this.fs, this.file, Buffer.from(JSON.stringify(data)), previousOf(this.file));
  }

  look(): Promise<Found<T>> {
    return this.lookAt(this.file);
  }

  lookBefore(): Promise<Found<T>> {
    return this.lookAt(previousOf(this.file));
  }

  private async lookAt(file: string): Promise<Found<T>> {
    const bytes = await readWhole(this.fs, file);
    if (bytes === undefined) return { kind: 'missing' };
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      return { kind: 'damaged', why: bytes.length === 0 ? 'empty' : 'cut off or not JSON' };
    }
    return this.judge(value);
  }
}

/** Reads the version of a document before anything else of it is believed. */
export function judgeVersion(
  value: unknown,
  known: number,
): { record: Record<string, unknown> } | { found: Found<never> } {
  if (!isRecord(value)) return { found: { kind: 'damaged', why: 'not an object' } };
  const version = value['schemaVersion'];
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    return { found: { kind: 'damaged', why: 'no schema version' } };
  }
  return version > known ? { found: { kind: 'newer', version } } : { record: value };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function newerError(file: string, version: number): Error {
  return Object.assign(new Error(`written by a newer version (schema ${version}), not changed: ${file}`), {
    code: 'NEWER',
  });
}

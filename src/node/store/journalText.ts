/**
 * Lines of the journal. A line is `{"seq":…,"at":…,"event":…,"sum":"…"}`; `sum` is the first 16 hex digits of the SHA-256
 * of the same text without the member `sum`: `{"seq":…,"at":…,"event":…}`. It is checked on the text as it stands, so
 * that no other writer's order of members matters. Since format 2 a file begins with a line that says its format:
 * `{"journal":2,"runId":"…","sum":"…"}`; where a file came before it, `"after"` is the number of the last record there.
 */
import { createHash } from 'node:crypto';
import type { JournalRecord } from '../../core/ports';
import { sha256 } from '../hash';
import type { FsCalls } from '../fs';
import { isRecord } from './document';
import { openPieces } from './jsonText';
import { eachLine, takeLines } from './lines';

/** 1: no first line of its own, at most one file kept beside the newest. 2: with the line, no file is ever dropped. */
export const JOURNAL_VERSION = 2;

const SUM_TAIL = /^,"sum":"([0-9a-f]{16})"\}$/;
const SUM_DIGITS = 16;
const SUM_BYTES = ',"sum":""}'.length + SUM_DIGITS;
const NEWLINE = 10;
const BRACE = 0x7d;

/** The line a file begins with. `after`: the last record of the file before it. */
export function encodeHeader(runId: string, after?: number): string {
  return summed({ journal: JOURNAL_VERSION, runId, ...(after === undefined ? {} : { after }) });
}

/** One line with its newline. */
export function encodeRecord({ seq, at, event }: JournalRecord): string {
  return summed({ seq, at, event });
}

/** The line of a record that is a whole state, in pieces: no second copy of a long run is made. */
export function* statePieces(
  record: Pick<JournalRecord, 'seq' | 'at'>,
  type: string,
  state: object,
): Generator<Buffer> {
  const hash = createHash('sha256');
  const summing = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    return bytes;
  };
  const { seq, at } = record;
  yield summing(`${JSON.stringify({ seq, at }).slice(0, -1)},"event":{"type":${JSON.stringify(type)},"state":`);
  for (const text of openPieces(state)) yield summing(text);
  yield summing('}}');
  hash.update('}');
  yield Buffer.from(`,"sum":"${hash.digest('hex').slice(0, SUM_DIGITS)}"}\n`);
}

function summed(value: object): string {
  const body = JSON.stringify(value);
  return `${body.slice(0, -1)},"sum":"${sumOf(body)}"}\n`;
}

export interface ParsedJournal {
  /** The format; more than `JOURNAL_VERSION`: a newer version of the extension wrote it, and nothing else of it was read. */
  version: number;
  /** The record that the file before it ended with, where its first line says so. */
  after: number | undefined;
  /** The whole lines before the first bad one, in order, `seq` without gaps; empty where somebody heard them instead. */
  records: JournalRecord[];
  /** Numbers of the first and the last of them. */
  first: number | undefined;
  last: number | undefined;
  /** Where each of `records` starts, in bytes. */
  starts: number[];
  /** Bytes up to the end of the last of them. */
  goodBytes: number;
  /** There is a beginning of a line after it: the trace of a kill in the middle of a write. */
  torn: boolean;
  /** Why the lines after it could not be used; undefined: there are none. */
  damage: string | undefined;
}

/** A file of which every line is good. */
export interface WholeFile {
  name: string;
  bytes: number;
  /** Numbers of its first and last record. */
  first: number | undefined;
  last: number | undefined;
}

export const wholeFile = (name: string, { first, last, goodBytes }: ParsedJournal): WholeFile => ({
  ...{ name, bytes: goodBytes, first, last },
});

/** Hears the lines of a file one by one. */
class JournalReader {
  private readonly parsed: ParsedJournal = {
    ...{ version: 1, after: undefined, records: [], first: undefined, last: undefined },
    ...{ starts: [], goodBytes: 0, torn: false, damage: undefined },
  };
  private lines = 0;
  private bad: string | undefined;
  private lost = 0;

  constructor(
    private readonly name: string,
    private readonly hear?: (record: JournalRecord) => void,
  ) {}

  /** `true`: nothing that follows is of interest. */
  readonly take = (line: Buffer): boolean | undefined => {
    const { parsed } = this;
    // also zeros: a file lengthened just before the power went, whose data never arrived
    if (line.at(-1) !== NEWLINE) {
      parsed.torn = this.bad === undefined;
      return undefined;
    }
    if (this.bad !== undefined) {
      this.lost += 1;
      return undefined;
    }
    this.lines += 1;
    const text = line.subarray(0, -1);
    const header = this.lines === 1 ? headerOf(text) : undefined;
    if (header !== undefined) {
      Object.assign(parsed, header);
      parsed.goodBytes = line.length;
      return header.version > JOURNAL_VERSION;
    }
    const record = decodeLine(text);
    const { last } = parsed;
    if (record === undefined || (last !== undefined && record.seq !== last + 1)) {
      const why = record === undefined ? 'damaged' : `out of order (${record.seq} after ${last})`;
      this.bad = `${this.name}: line ${this.lines} is ${why}`;
      return undefined;
    }
    parsed.first ??= record.seq;
    parsed.last = record.seq;
    if (this.hear) {
      this.hear(record);
    } else {
      parsed.records.push(record);
      parsed.starts.push(parsed.goodBytes);
    }
    parsed.goodBytes += line.length;
    return undefined;
  };

  result(): ParsedJournal {
    const { bad, lost, parsed } = this;
    return bad === undefined ? parsed : { ...parsed, damage: `${bad}; it and ${lost} lines after it were not read` };
  }
}

export function parseJournal(bytes: Uint8Array, name: string): ParsedJournal {
  const reader = new JournalReader(name);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const { rest, enough } = takeLines(text, reader.take);
  if (!enough && rest < text.length) reader.take(text.subarray(rest));
  return reader.result();
}

/** A file that is not there is an empty one. Rejects with the system's error. `hear`: each record as it is read, in order. */
export async function readJournal(
  fs: FsCalls,
  file: string,
  name: string,
  hear?: (record: JournalRecord) => void,
): Promise<ParsedJournal> {
  const reader = new JournalReader(name, hear);
  await eachLine(fs, file, reader.take);
  return reader.result();
}

/** What a first line says; undefined: it is none of these lines, or a damaged one. */
function headerOf(line: Buffer): Pick<ParsedJournal, 'version' | 'after'> | undefined {
  const text = line.toString('utf8');
  if (!text.startsWith('{"journal":')) return undefined;
  const known = decode(line);
  const version = Number(/^\{"journal":(\d{1,9})[,}]/.exec(text)?.[1] ?? Number.NaN);
  const after = isRecord(known) && typeof known['after'] === 'number' ? known['after'] : undefined;
  if (isRecord(known)) return known['journal'] === version && version >= 1 ? { version, after } : undefined;
  // a newer format may have another way of summing
  return version > JOURNAL_VERSION && isJson(text) ? { version, after } : undefined;
}

function isJson(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** `line` is without its newline. undefined: no line of a record, or a damaged one. */
export function decodeLine(line: Buffer): JournalRecord | undefined {
  const value = decode(line);
  return isJournalRecord(value) ? value : undefined;
}

function decode(line: Buffer): unknown {
  const sum = SUM_TAIL.exec(line.toString('latin1', line.length - SUM_BYTES))?.[1];
  if (sum === undefined) return undefined;
  // the text without its sum: where that begins, the last brace stands for a moment
  const end = line.length - SUM_BYTES;
  const [body, comma] = [line.subarray(0, end + 1), line[end] ?? BRACE];
  line[end] = BRACE;
  try {
    return sha256(body).slice(0, SUM_DIGITS) === sum ? JSON.parse(body.toString('utf8')) : undefined;
  } finally {
    line[end] = comma;
  }
}

/** The sum vouches for what we wrote; only the frame is looked at again. */
function isJournalRecord(value: unknown): value is JournalRecord {
  if (!isRecord(value) || !isRecord(value['event'])) return false;
  return (
    Number.isInteger(value['seq']) && typeof value['at'] === 'number' && typeof value['event']['type'] === 'string'
  );
}

function sumOf(body: string): string {
  return sha256(body).slice(0, SUM_DIGITS);
}

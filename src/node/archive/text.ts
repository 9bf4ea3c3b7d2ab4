/**
 * The text of an exported run, gzipped: lines of JSON, each with one member that says what it is.
 *
 *     {"holdfastRun":1,"runId":"…","schemaVersion":2,"exportedAt":…,"folders":["…"],"base":{"branch":"…","head":"…"}}
 *     {"state":{…}}                       its lists are empty here,
 *     {"list":"steps","item":{…}}         and follow element by element
 *     {"record":{"seq":1,…}}              the journal, oldest first
 *     {"content":"<sha256>","base64":"…"} each content the run names, once
 *     {"end":{"records":…,"contents":…,"missing":…},"sum":"<sha256 of all lines before>"}
 */
import { createHash } from 'node:crypto';
import {
  ArchiveError,
  ARCHIVE_VERSION,
  type ArchiveCounts,
  type ArchiveHead,
  type Incoming,
} from '../../core/transfer/archive';
import type { Hash, JournalRecord } from '../../core/ports';
import { sha256 } from '../hash';
import { isRecord } from '../store/document';
import { LIMITS, Meter } from './limits';

/** A line of the state is no longer than one element; the longest by far is a content. */
export const MAX_LINE = 256 * 1024 * 1024;

export const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

export const headLine = (head: ArchiveHead): string => lineOf({ holdfastRun: ARCHIVE_VERSION, ...head });

/** The state line by line. */
export function* stateLines(state: object, piece: (value: unknown) => unknown): Generator<string> {
  const members = Object.entries(state).filter(([, member]) => member !== undefined) as [string, unknown][];
  const isList = (member: unknown): member is unknown[] => Array.isArray(member);
  const bare = Object.fromEntries(members.map(([name, member]) => [name, isList(member) ? [] : member]));
  yield lineOf({ state: piece(bare) });
  for (const [name, member] of members)
    if (isList(member)) for (const item of member) yield lineOf({ list: name, item: piece(item) });
}

const damaged = (why: string): ArchiveError => new ArchiveError('damaged', why);
const count = (value: unknown): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw damaged('its end does not fit');
  return value;
};
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export function headOf(line: Record<string, unknown>): ArchiveHead {
  const version = line['holdfastRun'];
  if (typeof version !== 'number' || version < 1) throw new ArchiveError('notAnArchive');
  if (version > ARCHIVE_VERSION) throw new ArchiveError('newer', `format ${version}`);
  const { runId, schemaVersion, exportedAt, folders, base } = line;
  const texts = Array.isArray(folders) && folders.every((name) => typeof name === 'string');
  const numbers = Number.isSafeInteger(schemaVersion) && Number(schemaVersion) >= 1 && Number.isFinite(exportedAt);
  if (typeof runId !== 'string' || !texts || !numbers) throw damaged('its first line');
  const where = isRecord(base) ? { branch: textOrNull(base['branch']), head: textOrNull(base['head']) } : null;
  return {
    runId,
    schemaVersion: Number(schemaVersion),
    exportedAt: Number(exportedAt),
    folders: folders,
    base: where,
  };
}

export interface Heard {
  record?(record: JournalRecord): void;
  content?(hash: Hash, bytes: Buffer): Promise<void>;
}

/** Takes lines one by one, checks each, and knows at the end whether that was all. */
export class ArchiveParser {
  private readonly hash = createHash('sha256');
  private head: ArchiveHead | undefined;
  private state: Record<string, unknown> | undefined;
  private readonly counted = { records: 0, contents: 0 };
  private ended: { counts: ArchiveCounts; sum: Hash } | undefined;

  /** `keep`: the state is put together; without it is only checked. */
  constructor(
    private readonly keep: boolean,
    private readonly heard: Heard = {},
    private readonly meter = new Meter(LIMITS),
  ) {}

  async take(bytes: Buffer): Promise<void> {
    const values = this.meter.line(bytes);
    const line = parsed(bytes, this.head !== undefined);
    if (this.keep && ('state' in line || 'list' in line)) this.meter.kept(bytes.length, values);
    if (this.ended) throw damaged('something follows its end');
    if ('end' in line && 'sum' in line) return this.end(line);
    this.hash.update(bytes).update('\n');
    if (!this.head) this.head = headOf(line);
    else if ('state' in line) this.begin(line['state']);
    else if ('list' in line) this.item(line);
    else if ('record' in line) this.record(line['record']);
    else if ('content' in line) await this.content(line);
    else throw damaged('a line of no known kind');
  }

  /** When there is no more line. */
  whole(): Incoming {
    if (!this.head) throw new ArchiveError('notAnArchive');
    if (!this.ended) throw new ArchiveError('torn');
    if (!this.state) throw damaged('it holds no state');
    return { head: this.head, state: this.state, ...this.ended };
  }

  private begin(state: unknown): void {
    if (this.state || !isRecord(state)) throw damaged('its state');
    this.state = state;
  }

  private item({ list, item }: Record<string, unknown>): void {
    const known =
      typeof list === 'string' && this.state && Object.hasOwn(this.state, list) ? this.state[list] : undefined;
    if (!Array.isArray(known)) throw damaged('a list that its state does not have');
    if (this.keep) known.push(item);
  }

  private record(record: unknown): void {
    const event = isRecord(record) ? record['event'] : undefined;
    if (!isRecord(record) || !isRecord(event) || typeof event['type'] !== 'string') throw damaged('a record');
    if (!Number.isSafeInteger(record['seq']) || typeof record['at'] !== 'number') throw damaged('a record');
    this.counted.records += 1;
    this.heard.record?.(record as unknown as JournalRecord);
  }

  private async content({ content, base64 }: Record<string, unknown>): Promise<void> {
    if (typeof content !== 'string' || typeof base64 !== 'string') throw damaged('a content');
    const bytes = Buffer.from(base64, 'base64');
    if (sha256(bytes) !== content) throw damaged('a content is not the one it should be');
    this.counted.contents += 1;
    await this.heard.content?.(content, bytes);
  }

  private end({ end, sum }: Record<string, unknown>): void {
    const found = this.hash.digest('hex');
    if (!isRecord(end) || found !== sum) throw damaged('its sum does not fit');
    const counts = { records: count(end['records']), contents: count(end['contents']), missing: count(end['missing']) };
    const { records, contents } = this.counted;
    if (counts.records !== records || counts.contents !== contents) throw damaged('its end does not fit');
    this.ended = { counts, sum: found };
  }
}

function parsed(bytes: Buffer, begun: boolean): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isRecord(value)) return value;
  } catch {
    // told below
  }
  throw begun ? damaged('a line that is no JSON') : new ArchiveError('notAnArchive');
}

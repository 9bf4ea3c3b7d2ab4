/**
 * Lines of the journal. A line is `{"seq":…,"at":…,"event":…,"sum":"…"}`; `sum` is the first 16 hex digits of the SHA-256
 * of the same text without the member `sum`: `{"seq":…,"at":…,"event":…}`. It is checked on the text as it stands, so
 * that no other writer's order of members matters.
 */
import type { JournalRecord } from '../../core/ports';
import { sha256 } from '../hash';
import { isRecord } from './document';

const SUM_TAIL = /,"sum":"([0-9a-f]{16})"\}$/;
const NEWLINE = 10;

/** One line with its newline. */
export function encodeRecord({ seq, at, event }: JournalRecord): string {
  const body = JSON.stringify({ seq, at, event });
  return `${body.slice(0, -1)},"sum":"${sumOf(body)}"}\n`;
}

export interface ParsedJournal {
  /** The whole lines before the first bad one, in order, `seq` without gaps. */
  records: JournalRecord[];
  /** Where each record starts, in bytes. */
  starts: number[];
  /** Bytes up to the end of the last of them. */
  goodBytes: number;
  /** There is a beginning of a line after it: the trace of a kill in the middle of a write. */
  torn: boolean;
  /** Why the lines after it could not be used; undefined: there are none. */
  damage: string | undefined;
}

export function parseJournal(bytes: Uint8Array, name: string): ParsedJournal {
  const parsed: ParsedJournal = { records: [], starts: [], goodBytes: 0, torn: false, damage: undefined };
  for (let line = 1; parsed.goodBytes < bytes.length; line += 1) {
    const start = parsed.goodBytes;
    const end = bytes.indexOf(NEWLINE, start);
    // zeros: a file lengthened just before the power went, whose data never arrived
    if (end === -1 || bytes.subarray(start).every((byte) => byte === 0)) return { ...parsed, torn: true };
    const record = decodeLine(bytes.subarray(start, end));
    const last = parsed.records.at(-1);
    if (record === undefined || (last !== undefined && record.seq !== last.seq + 1)) {
      const lost = bytes.subarray(end + 1).filter((byte) => byte === NEWLINE).length;
      const why = record === undefined ? 'damaged' : `out of order (${record.seq} after ${last?.seq})`;
      return { ...parsed, damage: `${name}: line ${line} is ${why}; it and ${lost} lines after it were not read` };
    }
    parsed.records.push(record);
    parsed.starts.push(start);
    parsed.goodBytes = end + 1;
  }
  return parsed;
}

function decodeLine(bytes: Uint8Array): JournalRecord | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  const sum = SUM_TAIL.exec(text);
  if (sum === null) return undefined;
  const body = `${text.slice(0, sum.index)}}`;
  if (sumOf(body) !== sum[1]) return undefined;
  const value: unknown = JSON.parse(body);
  return isJournalRecord(value) ? value : undefined;
}

/** The sum vouches for what we wrote; only the frame is looked at again. */
function isJournalRecord(value: unknown): value is JournalRecord {
  if (!isRecord(value) || !isRecord(value['event'])) return false;
  return (
    Number.isInteger(value['seq']) && typeof value['at'] === 'number' && typeof value['event']['type'] === 'string'
  );
}

function sumOf(body: string): string {
  return sha256(body).slice(0, 16);
}

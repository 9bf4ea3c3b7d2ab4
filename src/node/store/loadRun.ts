/** Putting a run together from its snapshot and journal, damaged ones included. Reads only. */
import path from 'node:path';
import { migrateState } from '../../core/checkpoints/migrate';
import type { JournalRecord, LoadedRun } from '../../core/ports';
import { SCHEMA_VERSION, type RunState } from '../../core/run/state';
import { type FsCalls, unlessMissing } from '../fs';
import { DocumentAdapter, type Found, judgeVersion } from './document';
import { JOURNAL_VERSION, readJournal, wholeFile, type WholeFile } from './journalText';
import type { RunFiles } from './layout';
import { listSegments, type Segment, segmentsAfter } from './segments';
import { hearShared, shareTexts, withoutShared } from './sharedTexts';

/** How `damage` begins where a newer version of the extension wrote the run: it is listed, and never changed. */
export const NEWER = 'newer: ';

export function stateDocument(fs: FsCalls, files: RunFiles): DocumentAdapter<RunState> {
  return new DocumentAdapter(fs, files.state(), judgeState, true, { hear: hearShared, write: withoutShared });
}

/** Enough of the shape to tell a state from something else; the content is the core's own affair. */
function judgeState(value: unknown): Found<RunState> {
  const judged = judgeVersion(value, SCHEMA_VERSION);
  if ('found' in judged) return judged.found;
  const { record, version } = judged;
  const frame =
    Number.isInteger(record['seq']) && typeof record['runId'] === 'string' && Array.isArray(record['steps']);
  if (!frame) return { kind: 'damaged', why: 'not the state of a run' };
  shareTexts(record);
  return { kind: 'good', data: migrateState(record, version) };
}

export const isNewer = (loaded: LoadedRun | undefined): boolean => loaded?.damage[0]?.startsWith(NEWER) === true;

/** The last record that loading could reach; undefined: none. */
export function lastReached(loaded: LoadedRun | undefined): number | undefined {
  return loaded?.tail.at(-1)?.seq ?? loaded?.snapshot?.seq;
}

/** A run as it was read from its files. */
export interface RunRead {
  loaded: LoadedRun;
  /** Its `state.json`, looked at. */
  document: DocumentAdapter<RunState>;
  /** What the newest file of the journal holds; absent where anything of the run is damaged, torn or newer: it is looked at closely. */
  whole?: WholeFile;
}

/** undefined: there is no such run. Rejects with the system's error where the files cannot be read. */
export async function readRun(fs: FsCalls, files: RunFiles): Promise<RunRead | undefined> {
  if ((await unlessMissing(fs.lstat(files.dir)))?.isDirectory() !== true) return undefined;
  const document = stateDocument(fs, files);
  return { document, ...(await loadRun(fs, files, document)) };
}

async function loadRun(fs: FsCalls, files: RunFiles, document: DocumentAdapter<RunState>): Promise<Tail> {
  const newest = await document.look();
  if (newest.kind === 'newer') return newer(`state.json has schema ${newest.version}`);
  const segments = await listSegments(fs, files);
  if (newest.kind === 'good') return tailAfter(fs, segments, newest.data, []);

  const before = await document.lookBefore();
  const damage: string[] = [];
  if (newest.kind === 'damaged') damage.push(`state.json is damaged (${newest.why})`);
  else if (before.kind !== 'missing') damage.push('state.json is missing');
  if (before.kind === 'newer') return newer('state.json.prev');
  if (before.kind === 'damaged') damage.push(`state.json.prev is damaged too (${before.why})`);
  const snapshot = before.kind === 'good' ? before.data : undefined;
  if (snapshot !== undefined) damage.push(`the snapshot before it was used, that of record ${snapshot.seq}`);
  return tailAfter(fs, segments, snapshot, damage);
}

type Tail = Pick<RunRead, 'loaded' | 'whole'>;

/** The records after the snapshot, without gaps. */
async function tailAfter(
  fs: FsCalls,
  segments: readonly Segment[],
  snapshot: RunState | undefined,
  damage: string[],
): Promise<Tail> {
  const tail: JournalRecord[] = [];
  let seq = snapshot?.seq ?? 0;
  let torn = false;
  let whole: WholeFile | undefined;
  for (const { file, name, first } of segmentsAfter(segments, seq)) {
    const parsed = await readJournal(fs, file, name);
    if (parsed.version > JOURNAL_VERSION) return newer(`${name} has format ${parsed.version}`);
    for (const record of parsed.records) {
      if (record.seq <= seq) continue;
      // without any snapshot the first record of a run is number 1
      if (record.seq !== seq + 1) {
        damage.push(`${name}: record ${record.seq} follows ${seq || 'nothing'}; it and those after it were not used`);
        return { loaded: { snapshot, tail, damage } };
      }
      tail.push(record);
      seq = record.seq;
    }
    if (parsed.damage !== undefined)
      damage.push(parsed.damage); // the next file may still go on where this one broke
    // a file that got its name was whole then, and began with that record
    else if (first !== undefined && (parsed.torn || parsed.records[0]?.seq !== first))
      damage.push(`${name}: lines are missing`);
    else if (parsed.records.length === 0 && (parsed.after ?? 0) > seq)
      damage.push(`${name}: it follows record ${parsed.after}, and those after ${seq} are missing`);
    torn ||= parsed.torn;
    whole = wholeFile(name, parsed);
  }
  return { loaded: { snapshot, tail, damage }, ...(whole && damage.length === 0 && !torn ? { whole } : {}) };
}

function newer(what: string): Tail {
  const known = `this version knows schema ${SCHEMA_VERSION}, journal format ${JOURNAL_VERSION}`;
  return { loaded: { snapshot: undefined, tail: [], damage: [`${NEWER}${what}; ${known}`] } };
}

/** Tells one state of a run's files from another. */
export async function stampOf(fs: FsCalls, { dir }: RunFiles): Promise<string> {
  const names = ((await unlessMissing(fs.readdir(dir))) ?? [])
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const stamps = await Promise.all(
    names.sort().map(async (name) => {
      const found = await unlessMissing(fs.lstat(path.join(dir, name)));
      return `${name}:${found?.ino}:${found?.size}:${found?.mtimeMs}:${found?.ctimeMs}`;
    }),
  );
  return stamps.join('\n');
}

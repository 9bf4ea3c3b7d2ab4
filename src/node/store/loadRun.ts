/** Putting a run together from its snapshot and journal, damaged ones included. Reads only. */
import path from 'node:path';
import { migrateState } from '../../core/checkpoints/migrate';
import type { HearLoaded, JournalRecord, LoadedRun } from '../../core/ports';
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

/** A run as it was read from its files. */
export interface RunRead {
  loaded: LoadedRun;
  /** The last record that loading could reach; undefined: none. */
  reached: number | undefined;
  /** Its `state.json`, looked at. */
  document: DocumentAdapter<RunState>;
  /** What the newest file of the journal holds; absent where anything of the run is damaged, torn or newer: it is looked at closely. */
  whole?: WholeFile;
}

/**
 * undefined: there is no such run. Rejects with the system's error where the files cannot be read. `hear`: the records are handed
 * over as they are read, instead of being kept in `tail`.
 */
export async function readRun(fs: FsCalls, files: RunFiles, hear?: HearLoaded): Promise<RunRead | undefined> {
  if ((await unlessMissing(fs.lstat(files.dir)))?.isDirectory() !== true) return undefined;
  const document = stateDocument(fs, files);
  return { document, ...(await loadRun(fs, files, document, hear)) };
}

async function loadRun(
  fs: FsCalls,
  files: RunFiles,
  document: DocumentAdapter<RunState>,
  hear: HearLoaded | undefined,
): Promise<Tail> {
  const newest = await document.look();
  if (newest.kind === 'newer') return newer(`state.json has schema ${newest.version}`);
  const segments = await listSegments(fs, files);
  if (newest.kind === 'good') return tailAfter(fs, segments, newest.data, [], hear);

  const before = await document.lookBefore();
  const damage: string[] = [];
  if (newest.kind === 'damaged') damage.push(`state.json is damaged (${newest.why})`);
  else if (before.kind !== 'missing') damage.push('state.json is missing');
  if (before.kind === 'newer') return newer('state.json.prev');
  if (before.kind === 'damaged') damage.push(`state.json.prev is damaged too (${before.why})`);
  const snapshot = before.kind === 'good' ? before.data : undefined;
  if (snapshot !== undefined) damage.push(`the snapshot before it was used, that of record ${snapshot.seq}`);
  return tailAfter(fs, segments, snapshot, damage, hear);
}

type Tail = Pick<RunRead, 'loaded' | 'reached' | 'whole'>;

/** The records after the snapshot, without gaps. */
async function tailAfter(
  fs: FsCalls,
  segments: readonly Segment[],
  snapshot: RunState | undefined,
  damage: string[],
  hear: HearLoaded | undefined,
): Promise<Tail> {
  const tail: JournalRecord[] = [];
  let seq = snapshot?.seq ?? 0;
  let gap: number | undefined;
  const take = (record: JournalRecord): void => {
    if (record.seq <= seq || gap !== undefined) return;
    // without any snapshot the first record of a run is number 1
    if (record.seq !== seq + 1) {
      gap = record.seq;
      return;
    }
    if (hear) hear.take(record);
    else tail.push(record);
    seq = record.seq;
  };
  const found = (): Tail => ({ loaded: { snapshot, tail, damage }, reached: seq === 0 ? undefined : seq });
  hear?.begin(snapshot);
  let torn = false;
  let whole: WholeFile | undefined;
  for (const { file, name, first } of segmentsAfter(segments, seq)) {
    const parsed = await readJournal(fs, file, name, take);
    if (parsed.version > JOURNAL_VERSION) {
      hear?.begin(undefined);
      return newer(`${name} has format ${parsed.version}`);
    }
    if (gap !== undefined) {
      damage.push(`${name}: record ${gap} follows ${seq || 'nothing'}; it and those after it were not used`);
      return found();
    }
    if (parsed.damage !== undefined)
      damage.push(parsed.damage); // the next file may still go on where this one broke
    // a file that got its name was whole then, and began with that record
    else if (first !== undefined && (parsed.torn || parsed.first !== first)) damage.push(`${name}: lines are missing`);
    else if (parsed.first === undefined && (parsed.after ?? 0) > seq)
      damage.push(`${name}: it follows record ${parsed.after}, and those after ${seq} are missing`);
    torn ||= parsed.torn;
    whole = wholeFile(name, parsed);
  }
  return { ...found(), ...(whole && damage.length === 0 && !torn ? { whole } : {}) };
}

function newer(what: string): Tail {
  const known = `this version knows schema ${SCHEMA_VERSION}, journal format ${JOURNAL_VERSION}`;
  return { loaded: { snapshot: undefined, tail: [], damage: [`${NEWER}${what}; ${known}`] }, reached: undefined };
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

/** Putting a run together from its snapshot and journals, damaged ones included. Reads only. */
import path from 'node:path';
import { SCHEMA_VERSION, type RunState } from '../../core/run/state';
import type { JournalRecord, LoadedRun } from '../../core/ports';
import { type FsCalls, unlessMissing } from '../fs';
import { DocumentAdapter, type Found, judgeVersion } from './document';
import { readWhole } from './generations';
import { parseJournal } from './journalText';
import type { RunFiles } from './layout';

/** How `damage` begins where a newer version of the extension wrote the run: it is listed, and never changed. */
export const NEWER = 'newer: ';

export function stateDocument(fs: FsCalls, files: RunFiles): DocumentAdapter<RunState> {
  return new DocumentAdapter(fs, files.state(), judgeState);
}

/** Enough of the shape to tell a state from something else; the content is the core's own affair. */
function judgeState(value: unknown): Found<RunState> {
  const judged = judgeVersion(value, SCHEMA_VERSION);
  if ('found' in judged) return judged.found;
  const { record } = judged;
  const frame =
    Number.isInteger(record['seq']) && typeof record['runId'] === 'string' && Array.isArray(record['steps']);
  return frame
    ? { kind: 'good', data: record as unknown as RunState }
    : { kind: 'damaged', why: 'not the state of a run' };
}

/** The last record that loading could reach; undefined: none. */
export function lastReached(loaded: LoadedRun | undefined): number | undefined {
  return loaded?.tail.at(-1)?.seq ?? loaded?.snapshot?.seq;
}

/** undefined: there is no such run. Rejects with the system's error where the files cannot be read. */
export async function loadRun(fs: FsCalls, files: RunFiles): Promise<LoadedRun | undefined> {
  if ((await unlessMissing(fs.lstat(files.dir)))?.isDirectory() !== true) return undefined;
  const document = stateDocument(fs, files);
  const newest = await document.look();
  if (newest.kind === 'newer') {
    const text = `${NEWER}state.json has schema ${newest.version}, this version knows ${SCHEMA_VERSION}`;
    return { snapshot: undefined, tail: [], damage: [text] };
  }
  if (newest.kind === 'good') return { ...(await tailAfter(fs, files, newest.data, false)), snapshot: newest.data };

  const before = await document.lookBefore();
  const damage: string[] = [];
  if (newest.kind === 'damaged') damage.push(`state.json is damaged (${newest.why})`);
  else if (before.kind !== 'missing') damage.push('state.json is missing');
  if (before.kind === 'newer') return { snapshot: undefined, tail: [], damage: [`${NEWER}state.json.prev`] };
  if (before.kind === 'damaged') damage.push(`state.json.prev is damaged too (${before.why})`);
  const snapshot = before.kind === 'good' ? before.data : undefined;
  if (snapshot !== undefined) damage.push(`the snapshot before it was used, that of record ${snapshot.seq}`);
  const rest = await tailAfter(fs, files, snapshot, true);
  return { snapshot, tail: rest.tail, damage: [...damage, ...rest.damage] };
}

/** The records after the snapshot, without gaps. */
async function tailAfter(
  fs: FsCalls,
  files: RunFiles,
  snapshot: RunState | undefined,
  withPrevious: boolean,
): Promise<{ tail: JournalRecord[]; damage: string[] }> {
  const damage: string[] = [];
  const tail: JournalRecord[] = [];
  let seq = snapshot?.seq;
  for (const file of withPrevious ? [files.previousJournal(), files.journal()] : [files.journal()]) {
    const name = path.basename(file);
    const parsed = parseJournal((await readWhole(fs, file)) ?? new Uint8Array(), name);
    for (const record of parsed.records) {
      if (seq !== undefined && record.seq <= seq) continue;
      // without any snapshot the first record of a run is number 1
      if (record.seq !== (seq ?? 0) + 1) {
        damage.push(`${name}: record ${record.seq} follows ${seq ?? 'nothing'}; it and those after it were not used`);
        return { tail, damage };
      }
      tail.push(record);
      seq = record.seq;
    }
    if (parsed.damage !== undefined) damage.push(parsed.damage); // the next file may still go on where this one broke
  }
  return { tail, damage };
}

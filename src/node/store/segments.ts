/**
 * The files a run's journal consists of, oldest first. Lines go to `journal.jsonl`; after a snapshot it gets a name with the
 * number of its first record and stays: a damaged snapshot loses nothing, and every boundary can be found again.
 */
import path from 'node:path';
import { type FsCalls, unlessMissing } from '../fs';
import type { RunFiles } from './layout';

export interface Segment {
  file: string;
  name: string;
  /** Number of its first record where the name says so. */
  first: number | undefined;
}

const SEALED = /^journal-(\d{12})\.jsonl$/;

export function sealedName(first: number): string {
  return `journal-${String(first).padStart(12, '0')}.jsonl`;
}

export async function listSegments(fs: FsCalls, files: RunFiles): Promise<Segment[]> {
  const names = ((await unlessMissing(fs.readdir(files.dir))) ?? []).map((entry) => entry.name);
  const segment = (name: string): Segment => {
    const first = SEALED.exec(name)?.[1];
    return { file: path.join(files.dir, name), name, first: first === undefined ? undefined : Number(first) };
  };
  // format 1 kept one file under this name; it is older than all that came since
  const previous = path.basename(files.previousJournal());
  const newest = path.basename(files.journal());
  const sealed = names.filter((name) => SEALED.test(name)).sort();
  return [previous, ...sealed, newest].filter((name) => names.includes(name)).map(segment);
}

/** Those in which records after `seq` may stand. */
export function segmentsAfter(segments: readonly Segment[], seq: number): Segment[] {
  return segments.filter((_, n) => {
    const next = segments.slice(n + 1).find(({ first }) => first !== undefined)?.first;
    return next === undefined || next > seq + 1;
  });
}

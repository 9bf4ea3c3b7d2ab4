/** The records of a run, oldest first: those it brought along from another machine, then its own journal. */
import path from 'node:path';
import type { JournalRecord } from '../../core/ports';
import { type FsCalls, isMissing } from '../fs';
import { decodeLine } from '../store/journalText';
import type { RunFiles } from '../store/layout';
import { listSegments } from '../store/segments';
import { chunksOf, linesOf } from './lines';
import { MAX_LINE } from './text';

/** Beside the journal of a run that was imported; it is read by people and by the next export, and never folded. */
export const importedRecords = (folder: string): string => path.join(folder, 'imported.jsonl');

/** Damaged lines, and those a kill cut short, are left out: the state is whole without them. */
export async function* recordsOf(fs: FsCalls, files: RunFiles): AsyncGenerator<JournalRecord> {
  yield* recordsIn(fs, importedRecords(files.dir));
  const read = new Set<string>();
  let last = 0;
  for (;;) {
    const segments = (await listSegments(fs, files)).filter(({ name }) => !read.has(name));
    if (segments.length === 0) return;
    for (const { file, name } of segments) {
      read.add(name);
      for await (const record of recordsIn(fs, file)) {
        // a file that got another name meanwhile is read under both
        if (record.seq <= last) continue;
        last = record.seq;
        yield record;
      }
    }
  }
}

async function* recordsIn(fs: FsCalls, file: string): AsyncGenerator<JournalRecord> {
  try {
    for await (const line of linesOf(chunksOf(fs, file), { max: MAX_LINE, rest: false })) {
      const record = decodeLine(line);
      if (record) yield record;
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

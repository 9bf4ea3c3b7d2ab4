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
  const segments = (await listSegments(fs, files)).map(({ file }) => file);
  for (const file of [importedRecords(files.dir), ...segments]) {
    try {
      for await (const line of linesOf(chunksOf(fs, file), { max: MAX_LINE, rest: false })) {
        const record = decodeLine(line.toString('utf8'));
        if (record) yield record;
      }
    } catch (error) {
      // not there, or under another name since it was listed
      if (!isMissing(error)) throw error;
    }
  }
}

/** Names and file modes of the storage folder. */
import path from 'node:path';
import type { Hash } from '../../core/ports';

/** Transcripts and copies of the user's files are in there: nobody else's business. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Run ids become folder names, and stored ones are not trusted. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const HASH = /^[0-9a-f]{64}$/;

export class Layout {
  constructor(readonly dir: string) {}

  readonly index = (): string => path.join(this.dir, 'runs.json');
  readonly runs = (): string => path.join(this.dir, 'runs');
  readonly blobs = (): string => path.join(this.dir, 'blobs');

  /** undefined: no id of a run. */
  run(runId: string): RunFiles | undefined {
    return RUN_ID.test(runId) && !runId.endsWith('.') ? new RunFiles(path.join(this.runs(), runId)) : undefined;
  }

  /** undefined: no hash. */
  blob(hash: Hash): string | undefined {
    return HASH.test(hash) ? path.join(this.blobs(), hash.slice(0, 2), hash) : undefined;
  }
}

export class RunFiles {
  constructor(readonly dir: string) {}

  readonly state = (): string => path.join(this.dir, 'state.json');
  readonly journal = (): string => path.join(this.dir, 'journal.jsonl');
  readonly previousJournal = (): string => path.join(this.dir, 'journal.prev.jsonl');
}

/** Where the generation before the newest is kept. */
export function previousOf(file: string): string {
  return `${file}.prev`;
}

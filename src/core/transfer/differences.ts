/** What is remembered of how a workspace differed from the one a run came from. Pure. */
import type { Path } from '../ports';
import type { Base } from './archive';

/** Of the files a run knows, those that are not here what they were to it. Each list in order. */
export interface Differences {
  same: number;
  /** It is here with other content. */
  different: Path[];
  missing: Path[];
  /** The run knows it as not there, and here it is. */
  extra: Path[];
  /** Cannot be read, or is no file. */
  unreadable: Path[];
  /** Secret-looking: nothing to compare with came along. */
  secret: Path[];
}

/** Where a run was imported from, and how this workspace stood to that one then. */
export interface ImportedFrom {
  /** Its id there. */
  runId: string;
  exportedAt: number;
  /** Of the import. */
  at: number;
  base: Base | null;
  here: Base | null;
  /** Names of the workspace folders there, where they are not those that are open here. */
  folders?: string[];
  files: Differences;
  /** Contents it refers to that did not come along: what they hold cannot be shown or restored. */
  missingContents: number;
  /** Why what drives it cannot be used here, in one sentence. */
  engine?: string;
}

export type BaseVerdict = 'same' | 'different' | 'unknown';

/** Is it the same commit? Two folders without a repository say nothing of each other. */
export function baseVerdict({ base, here }: Pick<ImportedFrom, 'base' | 'here'>): BaseVerdict {
  if (base === null && here === null) return 'unknown';
  return base?.head === here?.head && base !== null && here !== null ? 'same' : 'different';
}

/** Paths of a run with several folders begin with a folder's name; with one, the name is of no matter. */
export function foldersDiffer(there: readonly string[], here: readonly string[]): boolean {
  if (there.length === 1 && here.length === 1) return false;
  return there.length !== here.length || there.some((name) => !here.includes(name));
}

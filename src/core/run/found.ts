/** What was found to have changed in the workspace besides the writes of the run itself. */
import type { Path } from '../ports';

/** What a command changed in the workspace, as far as it is known; `FileChange`s hold the files both sides of which are. */
export interface CommandFound {
  created: number;
  changed: number;
  deleted: number;
  /** Those of which one side is not known, the first of them. */
  others: Path[];
  /** Why it may be more. */
  partial?: string;
}

/** A file that changed and that the run has neither read nor written. */
export interface Elsewhere {
  path: Path;
  kind: 'created' | 'changed' | 'deleted';
  /** A background command of the run was alive: it may have done it. */
  background?: true;
}

/** What the reconcile found, as data: shown to the human, told to the model, stored. */
import type { GitNews } from '../git';
import type { Hash, Path } from '../ports';
import type { Owned } from './owned';
import type { Elsewhere } from '../run/state';

export type Verdict =
  'unchanged' | 'humanEdited' | 'humanCreated' | 'humanDeleted' | 'humanRenamed' | 'typeChanged' | 'unreadable';

export interface FileVerdict {
  path: Path;
  verdict: Verdict;
  before: { hash: Hash | null; size: number; type: string };
  after: { hash: Hash | null; size: number; type: string };
  /** For `humanRenamed`. */
  newPath?: Path;
  /** For `humanRenamed`: what stands at the new path. */
  renamed?: { hash: Hash | null; size: number };
  /** The change is in an unsaved buffer. */
  unsaved?: boolean;
  binary?: boolean;
  /** Short words beside the diff: "line ends LF → CRLF, no change of text". */
  remark?: string;
  /** The human's lines in it as it is now (at the new path of a renamed one). */
  owned?: Owned;
  /** Unified diff, cut to the budget; absent for binary, huge and secret-looking files. */
  diff?: string;
}

export interface Report {
  /** Everything but `unchanged`. */
  files: FileVerdict[];
  checked: number;
  git?: GitNews;
  /** Files that changed and that the run has neither read nor written; `partial`: why there may be more. */
  elsewhere?: { changes: Elsewhere[]; partial?: string };
  /** The human's words at hand back. */
  note?: string;
  /** Steps not yet done that look satisfied or impossible now. */
  plan: string[];
  /** Word for word what the model is told; empty when there is nothing to tell. */
  text: string;
}

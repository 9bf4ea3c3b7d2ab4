/** What is shown of a restore, and where. Pure. */
import type { FilePlan } from '../../core/checkpoints/types';

export interface Way {
  runId: string;
  /** `review`: what the run did is shown, and nothing is picked ahead. */
  kind: 'restore' | 'review';
  checkpoint: number;
}

/** Of the diffs of several files. */
export const TITLES: Readonly<Record<Way['kind'], string>> = {
  restore: 'Restore: now ↔ restored',
  review: 'Changes of the run: before ↔ now',
};

/** Left and right in the diff; a side where nothing is stays empty, so that a file that was made is shown as that. */
export const sidesOf = <U>(kind: Way['kind'], { then, now }: { then: U; now: U }): [U, U] =>
  kind === 'restore' ? [now, then] : [then, now];

/** One choice: a file, or both names of one that is moved back. */
export interface FileChoice {
  label: string;
  description: string;
  detail?: string;
  plan: FilePlan;
  /** What a restore of it names. */
  paths: string[];
  /** Taken unless the human says otherwise. */
  picked: boolean;
}

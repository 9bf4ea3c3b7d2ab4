/**
 * From what an earlier version of the extension stored to what this one works with. Stored samples of every version are in
 * `test/fixtures/storage/`, and a test opens each.
 *
 * - **1**: journal in at most two files without a first line, contents of files one by one.
 * - **2**: journal files that say their format and are all kept, a sum in each document, contents in packs. The members of
 *   the state are those of 1.
 * - **3**: in a snapshot a result in the transcript has null for its text where that is the very text of its step.
 */
import { SCHEMA_VERSION, type RunState } from '../run/state';

/** Each takes a state of its version (its place in the list, from 1) to the next one. */
const STEPS: readonly ((state: Record<string, unknown>) => Record<string, unknown>)[] = [
  (state) => state,
  (state) => state,
];

/** `version` is known and at most `SCHEMA_VERSION`. Members that nobody here knows stay. */
export function migrateState(state: Readonly<Record<string, unknown>>, version: number): RunState {
  const migrated = STEPS.slice(version - 1).reduce((now, step) => step(now), { ...state });
  return { ...migrated, schemaVersion: SCHEMA_VERSION } as unknown as RunState;
}

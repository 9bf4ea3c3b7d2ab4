/** A restore in the state of its run: the intent, then what became of it. Pure; in words for the transcript. */
import type { Effect, RunEvent } from '../run/events';
import type { RunState } from '../run/state';
import { restoreReceipt } from '../run/receipt';
import { say } from '../run/update';
import { nameOf } from './history';
import { skipWords } from './plan';
import type { RestoreRecord } from './types';

export function requestRestore(s: RunState, restore: RestoreRecord): Effect[] {
  s.restores = [...(s.restores ?? []), restore];
  return [];
}

export function endRestore(s: RunState, event: Extract<RunEvent, { type: 'restoreEnded' }>, at: number): Effect[] {
  const open = s.restores?.find((one) => one.id === event.id);
  if (open?.state !== 'requested') return [];
  const ended: RestoreRecord = { ...open, state: 'settled', seq: s.seq, files: event.files };
  s.restores = s.restores?.map((one) => (one === open ? ended : one)) ?? [];
  say(s, { kind: 'remark', text: restoreWords(ended), at });
  const files = ended.files.filter((file) => file.done);
  const intent = ended.kind === 'undo' ? 'undoRestore' : 'restore';
  s.receipts = [...s.receipts, restoreReceipt(s, intent, { message: restoreWords(ended, 'You'), files }, at)];
  return [];
}

const counted = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** One line: what the human did with it, and what was left alone and why. */
export function restoreWords({ kind, checkpoint, files, skipped }: RestoreRecord, who = 'The human'): string {
  const back = files.filter((file) => file.done).map((file) => file.path);
  const left = [
    ...files.filter((file) => !file.done).map(({ path, reason }) => ({ path, reason: reason ?? ('failed' as const) })),
    ...skipped,
  ];
  const what = kind === 'undo' ? 'undid a restore of' : 'restored';
  const to = kind === 'undo' ? '' : ` to ${nameOf(checkpoint)}`;
  const names = back.length === 0 ? '' : `: ${back.join(', ')}`;
  const rest = left.length === 0 ? '' : ` Left alone: ${left.map((f) => skipWords(f.path, f.reason)).join(' ')}`;
  return `${who} ${what} ${counted(back.length, 'file')}${to}${names}.${rest}`;
}

/** The restore an undo without a name means: the newest that changed something and was not undone since. */
export function newestRestore(s: RunState): RestoreRecord | undefined {
  const undone = new Set(s.restores?.map((one) => one.undoes));
  return s.restores?.findLast(
    (one) => one.kind === 'restore' && !one.elsewhere && !undone.has(one.id) && one.files.some((file) => file.done),
  );
}

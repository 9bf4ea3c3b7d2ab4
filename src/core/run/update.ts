/** Small updates of a run state under construction. They replace what they change, so that old snapshots stay what they were. */
import type { Owned } from '../reconcile/owned';
import type { Entry, FileRecord, FileSeen, FileChange, Phase, RunState, Step, Decision } from './state';
import { addElsewhere } from './elsewhere';
import { isFinal } from './state';
import type { StepEnd } from './events';
import { guardWords, type Guard } from './guards';
import { appended, replaced } from './lists';

export const stepOf = (s: RunState, stepId: string): Step | undefined => {
  // Ids are `<runId>/s<n>` and steps are dense: no search.
  const n = Number(stepId.slice(stepId.lastIndexOf('/s') + 2));
  const step = s.steps[n - 1];
  return step?.id === stepId ? step : undefined;
};

export const stepId = (runId: string, n: number): string => `${runId}/s${n}`;

export function setStep(s: RunState, id: string, change: Partial<Step>): void {
  const step = stepOf(s, id);
  if (!step) return;
  s.steps = replaced(s.steps, step.n - 1, { ...step, ...change });
}

export function say(s: RunState, ...entries: Entry[]): void {
  s.transcript = appended(s.transcript, ...entries);
}

export function setPhase(s: RunState, phase: Phase | null, at: number): void {
  if (s.phase === phase) return;
  s.phase = phase;
  s.phaseSince = at;
}

export function setDecision(s: RunState, id: string, change: Partial<Decision>): void {
  s.decisions = s.decisions.map((d) => (d.id === id ? { ...d, ...change } : d));
}

/** A model is told of a guard, so that it need not run into it; a playbook cannot read. */
export function tellGuard(s: RunState, guard: Guard, at: number): void {
  if (s.model.fixed) return;
  const text =
    guard.state === 'removed'
      ? `The developer has removed the guard "${guardWords(guard)}".`
      : `The developer has set a guard that the runtime enforces: ${guardWords(guard)}. Calls against it are refused; work around the need for them, not around the guard.`;
  say(s, { kind: 'note', noteId: guard.id, text, at });
}

export const pendingDecisions = (s: RunState): Decision[] => s.decisions.filter((d) => d.state === 'pending');

/** Not asked again by itself, so a stop does not withdraw it. */
export const outlivesStop = (d: Decision): boolean => d.kind === 'unknownEffect' || d.source === 'command';

/** Open questions that keep the run from going on; those of a final or paused run do not. */
export const fileOf = (s: RunState, path: string): FileRecord | undefined => s.files.find((f) => f.path === path);

/** The run saw that no file was there: what is there now the human made, or the run. */
export const wasNoFile = ({ known, knownType }: FileRecord): boolean =>
  known === null && knownType !== 'file' && knownType !== 'unreadable';

/** Steps of the last whole reply that have not started, in order. */
export function pendingSteps(s: RunState): Step[] {
  const pending: Step[] = [];
  const reply = s.steps.findLast((step) => step.compensates === undefined)?.reply;
  for (let i = s.steps.length - 1; i >= 0; i -= 1) {
    const step = s.steps[i];
    if (!step || (step.reply !== reply && step.compensates === undefined)) break;
    if (step.compensates !== undefined) continue;
    if (step.outcome === 'notStarted') pending.unshift(step);
  }
  return pending;
}

/** The one result of a call. A compensation is no call of the model: it is told of it, where it goes on, as of what the human did. */
function tellResult(s: RunState, id: string, text: string, at: number): void {
  const step = stepOf(s, id);
  const undone = step?.compensates === undefined ? undefined : stepOf(s, step.compensates);
  if (!step || !undone) return say(s, { kind: 'result', stepId: id, text, at });
  const told = `The developer asked to undo step ${undone.n} (${undone.title}) by ${step.tool}. ${step.outcome}: ${text}`;
  say(s, { kind: isFinal(s.status) || s.model.fixed ? 'remark' : 'report', text: told, at });
}

export const FORMER_TRY = 'what the try before it did is still unknown.';

/** A repeat that did nothing leaves what the try before it did: unknown. A question that is answered is another matter. */
function ofAllTries(step: Step | undefined, end: StepEnd): StepEnd {
  const didNothing = end.outcome === 'cancelledBeforeEffect' || end.outcome === 'failedBeforeEffect';
  if (step?.repeatOf === undefined || step.outcome === 'unknown' || !didNothing) return end;
  return { ...end, outcome: 'unknown', effect: 'unknown', text: `${end.text} It was a repeat: ${FORMER_TRY}` };
}

/** Gives calls that never started their one result. */
export function cancelPending(s: RunState, steps: readonly Step[], reason: string, words: string, at: number): void {
  for (const step of steps) {
    const text = `cancelledBeforeEffect (reason: ${reason}): ${words}`;
    setStep(s, step.id, { outcome: 'cancelledBeforeEffect', reason, text, endedAt: at });
    tellResult(s, step.id, text, at);
  }
}

/** Drops keys that are gone for good (exactOptionalPropertyTypes has no `undefined`). */
function without<T extends object, K extends keyof T>(value: T, ...keys: K[]): T {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}

/** What is known of the try before stands until the next one has begun; how it ended is not how that one does. */
export function runAgain(s: RunState, step: Step): void {
  const again = without(step, 'exit', 'progress');
  const { repeatOf = 0, n } = step;
  const next: Step = { ...again, outcome: 'notStarted', effect: 'notStarted', repeatOf: repeatOf + 1, changes: [] };
  s.steps = replaced(s.steps, n - 1, next);
}

const upsert = (s: RunState, record: FileRecord): void => {
  const index = s.files.findIndex((f) => f.path === record.path);
  s.files = index < 0 ? [...s.files, record] : s.files.with(index, record);
};

/** Adds a range of lines to those seen; touching and overlapping ranges become one. */
export function mergeRanges(
  ranges: readonly { from: number; to: number }[],
  added: { from: number; to: number },
): { from: number; to: number }[] {
  const sorted = [...ranges, added].sort((a, b) => a.from - b.from);
  const merged: { from: number; to: number }[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last && range.from <= last.to + 1) last.to = Math.max(last.to, range.to);
    else merged.push({ from: range.from, to: range.to });
  }
  return merged;
}

/** The run has looked at a file: that is its base now. */
export function seeFile(s: RunState, seen: FileSeen): void {
  const old = fileOf(s, seen.path);
  let record: FileRecord = {
    ...(old ?? { path: seen.path, by: 'read' as const }),
    base: seen.hash,
    known: seen.hash,
    knownSize: seen.size,
    knownType: seen.hash === null ? 'missing' : 'file',
    ...(seen.noBlob ? { noBlob: true } : {}),
    ...(seen.ignored ? { ignored: true } : {}),
  };
  record = seen.owned ? { ...record, owned: seen.owned } : without(record, 'owned');
  if (seen.hash !== null) record = without(record, 'deletedByHuman', 'renamedTo', 'overlaps');
  const sameAsBefore = old?.base === seen.hash;
  if (seen.lines) {
    const before = sameAsBefore ? old.seen : [];
    // Seen whole before and not changed since: still seen whole.
    if (!(sameAsBefore && old.seen === undefined)) {
      const merged = mergeRanges(before ?? [], seen.lines);
      const whole = merged.length === 1 && merged[0]?.from === 1 && merged[0].to >= seen.lines.of;
      record = whole ? without(record, 'seen') : { ...record, seen: merged };
    }
  } else {
    record = without(record, 'seen');
  }
  upsert(s, record);
}

/** A move is no look at the content: a file that was never read is not read by it. */
function moved(record: FileRecord, source: FileRecord | undefined): FileRecord {
  const { human, ignored, base } = source ?? {};
  const flags = { ...(human ? { human } : {}), ...(ignored ? { ignored } : {}) };
  return base === undefined ? { ...without(record, 'base'), ...flags } : { ...record, ...flags };
}

/** The run has written, made, moved or deleted a file; `source` is what it knew at the place a file was moved from. */
function changeFile(s: RunState, change: FileChange, source?: FileRecord): void {
  const old = fileOf(s, change.path);
  let record: FileRecord = {
    ...(old ?? { path: change.path }),
    base: change.after,
    known: change.after,
    knownSize: change.size,
    knownType: change.after === null ? 'missing' : 'file',
    original: old?.original === undefined ? (change.link ? (old?.known ?? null) : change.before) : old.original,
    written: change.after,
    ...(change.noBlob ? { noBlob: true } : {}),
    by: 'agent',
  };
  if (change.from !== undefined) record = moved(record, source);
  if (change.owned) record.owned = change.owned;
  else if (change.owned === null || change.after === null) record = without(record, 'owned');
  const known = change.seen ? { ...record, seen: change.seen } : without(record, 'seen');
  upsert(s, without(known, 'deletedByHuman', 'renamedTo', 'overlaps'));
}

/** Sets the marks of the human's lines, or takes them off. */
export function ownLines(s: RunState, path: string, owned: Owned | undefined): void {
  const old = fileOf(s, path);
  if (old) upsert(s, owned ? { ...old, owned } : without(old, 'owned'));
}

/**
 * A file changed while a command of the run ran, and nothing says that the human did it: it is not reported as theirs. But what
 * the run has read of it has not moved: a write over text it has never seen is merged or refused, whoever made that text.
 */
export function commandChanged(s: RunState, change: FileChange): void {
  const old = fileOf(s, change.path);
  changeFile(s, change);
  const now = fileOf(s, change.path);
  if (!now) return;
  const { base, seen } = old ?? {};
  upsert(s, { ...without(now, 'base', 'seen'), ...(base === undefined ? {} : { base }), ...(seen ? { seen } : {}) });
}

export function setFile(s: RunState, path: string, change: Partial<FileRecord>): void {
  const old = fileOf(s, path);
  if (old) upsert(s, { ...old, ...change });
}

/**
 * What a step has changed, all at once: a move knows the file as it was before. What a command left behind is there, whatever
 * became of the command itself.
 */
export function changeFiles(s: RunState, changes: readonly FileChange[], effect: Step['effect'] = 'committed'): void {
  const before = s.files;
  for (const change of changes) {
    const source = before.find((f) => f.path === change.from);
    if (change.command) commandChanged(s, change);
    // A link is no content: what the run knows of a file, it knows of what the link led to.
    else if (effect === 'committed' && !(change.link && !fileOf(s, change.path))) changeFile(s, change, source);
  }
}

/** Changes of its own, which can be read off the files; those that were found after a command tell nothing of the command. */
export const hasOwnChanges = (step: Step): boolean => step.changes.some((change) => !change.command);

/** Folds the end of a step into steps, files and transcript; an unknown effect has no result yet. */
/** What it did was looked at, and its end tells it. */
function forgetTheirs(s: RunState, id: string): void {
  const step = stepOf(s, id);
  if (step?.theirs) s.steps = replaced(s.steps, step.n - 1, without(step, 'theirs'));
}

export function endStep(s: RunState, given: StepEnd, at: number): void {
  const step = stepOf(s, given.stepId);
  const end = ofAllTries(step, given);
  // Of a try before, where this is the end of another one.
  if (step?.outcome === 'running') s.steps = replaced(s.steps, step.n - 1, without(step, 'reason'));
  setStep(s, end.stepId, {
    outcome: end.outcome,
    effect: end.effect,
    text: end.text,
    endedAt: at,
    seq: s.seq,
    ...(end.reason === undefined ? {} : { reason: end.reason }),
    ...(end.changes ? { changes: end.changes } : {}),
    ...(end.exit ? { exit: end.exit } : {}),
    ...(end.seen?.length ? { seen: end.seen } : {}),
    ...(end.found ? { found: end.found } : {}),
  });
  forgetTheirs(s, end.stepId);
  for (const seen of end.seen ?? []) seeFile(s, seen);
  changeFiles(s, end.changes ?? [], end.effect);
  if (end.elsewhere) addElsewhere(s, end.elsewhere);
  if (end.overlap !== undefined) setFile(s, end.overlap, { overlaps: (fileOf(s, end.overlap)?.overlaps ?? 0) + 1 });
  if (end.survivors) s.survivors = end.survivors;
  if (end.plan) s.plan = end.plan;
  if (end.outcome !== 'unknown') tellResult(s, end.stepId, end.text, at);
}

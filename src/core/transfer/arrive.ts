/**
 * The state a run begins with on another machine: as after a crash there. Nothing is at work, what was in flight is unknown,
 * questions are asked in the words of here (openQuestions.ts), and nothing is allowed that was not allowed here. Pure.
 */
import { addReceipt, askUnknown, dropResuming, keepPartial } from '../run/flow';
import { isFinal, type RunState, type Step } from '../run/state';
import { endStep, say } from '../run/update';
import type { ImportedFrom } from './differences';
import { askAnew } from './openQuestions';
import { withoutRights } from './rights';

/** Ids begin with the run they belong to: `<runId>/s3`, `<runId>/s3:1`. */
export function renamed<T>(value: T, from: string, to: string): T {
  const isId = (text: string): boolean =>
    text.startsWith(`${from}/`) && /^[a-z]\d+(:\d+)?$/.test(text.slice(from.length + 1));
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return isId(one) ? to + one.slice(from.length) : one;
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, member]) => [key, walk(member)]));
  };
  return from === to ? value : (walk(value) as T);
}

const ELSEWHERE = 'The run was moved to another machine during this step; what it did there is not known here.';

/** What was in flight on the other machine. */
function settle(s: RunState, step: Step, at: number): void {
  const stepId = step.id;
  if (step.effect !== 'requested') {
    const text =
      'cancelledBeforeEffect (reason: interrupted): the run was moved to another machine before this call did anything.';
    endStep(s, { stepId, outcome: 'cancelledBeforeEffect', effect: 'notStarted', reason: 'interrupted', text }, at);
    return;
  }
  endStep(s, { stepId, outcome: 'unknown', effect: 'unknown', reason: 'interrupted', text: ELSEWHERE }, at);
  const ended = s.steps[step.n - 1];
  if (ended) askUnknown(s, ended, at);
}

/** What counts there and not here: how often a head was moved, what was stashed away. */
function gitHere(there: RunState['git'], here: RunState['git']): RunState['git'] {
  if (!there) return there;
  const { moves: _moves, recent: _recent, stashes: _stashes, others, ...rest } = there;
  const stashes = here?.stashes === undefined ? {} : { stashes: here.stashes };
  const inside = Object.entries(others ?? {}).map(([folder, repository]) => {
    const { moves: _m, recent: _r, stashes: _s, ...one } = repository;
    const now = here?.others?.[folder]?.stashes;
    return [folder, now === undefined ? one : { ...one, stashes: now }] as const;
  });
  return { ...rest, ...stashes, ...(others ? { others: Object.fromEntries(inside) } : {}) };
}

export function arrivedState(incoming: RunState, runId: string, from: ImportedFrom, here: RunState['git']): RunState {
  const { at } = from;
  const s: RunState = { ...withoutRights(renamed(incoming, incoming.runId, runId)), runId };
  // Its journal counts anew: what was done by then lies before its first record, in its order.
  const seqHere = (there: number): number => Math.min(0, there - incoming.seq);
  s.seq = 1;
  s.updatedAt = at;
  s.steps = s.steps.map((step) => ({
    ...step,
    ...(step.seq === undefined ? {} : { seq: seqHere(step.seq) }),
    changes: step.changes.map((change) => ({ ...change, elsewhere: true })),
  }));
  if (s.restores)
    s.restores = s.restores.map((one) => ({ ...one, seq: seqHere(one.seq ?? incoming.seq), elsewhere: true }));
  s.importedFrom = from;
  // It says what changed in another folder; what differs in this one stands in `importedFrom` until a resume has looked.
  s.report = null;
  s.git = gitHere(s.git, here);
  const words = 'Imported from another machine.';
  if (!isFinal(s.status)) {
    const running = s.steps.filter((step) => step.outcome === 'running');
    const facts = { at, phase: s.phase, stepId: running.at(-1)?.id ?? null, forced: false };
    keepPartial(s, at);
    dropResuming(s, at);
    s.frozen = null;
    s.background = [];
    for (const step of running) settle(s, step, at);
    Object.assign(s, { inFlight: null, stopping: null, retry: null, phase: null, phaseSince: at });
    s.status = 'paused';
    s.control = 'agent';
    s.stale = true;
    s.reason = {
      code: 'imported',
      text: `${words} Resume compares the files here with those it knew, then goes on from there.`,
    };
    if (running.length > 0) addReceipt(s, 'interrupted', facts);
  }
  s.frozen = null;
  s.background = [];
  say(s, { kind: 'remark', text: words, at });
  askAnew(s, at);
  return s;
}

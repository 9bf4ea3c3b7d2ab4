/** The invariants of product.md, as far as they can be seen from outside: checked after every scenario. */
import { fingerprint } from './fingerprint';
import type { Receipt, RunState, RunStatus, RunSummary } from '../../src/core/run/state';
import { type Living, showLiving, unnamed } from './processes';
import type { Place } from './workspace';

/** Nothing of the run may be under way; what waits for the human counts. */
const atRest: ReadonlySet<RunStatus> = new Set([
  ...(['paused', 'awaitingApproval', 'humanControl', 'needsHuman', 'aborted', 'completed', 'failed'] as const),
]);
/** A process that stopped here lost nothing but its place: it comes back as `paused`. */
const interruptible: ReadonlySet<RunStatus> = new Set(['running', 'stopping', 'reconciling']);

export interface World {
  place: Place;
  /** All runs of the scenario. */
  states: readonly RunState[];
  living: readonly Living[];
  /** Why the strict server refused requests. */
  unpaired: readonly string[];
  /** Facts that went backwards while it was played. */
  backwards: readonly string[];
}

/** Everything wrong, one sentence each. */
export async function checkInvariants(world: World): Promise<string[]> {
  const { place, states } = world;
  const wrong = [
    ...world.unpaired.map((p) => `invariant 3 (one result a call): ${p}`),
    ...world.backwards.map((p) => `invariant 5 (order): ${p}`),
  ];
  for (const state of states) {
    const name = states.length > 1 ? ` of run ${state.runId}` : '';
    wrong.push(...transcriptProblems(state).map((p) => `invariant 3 (one result a call)${name}: ${p}`));
    wrong.push(...stepProblems(state).map((p) => `invariant 5 (steps)${name}: ${p}`));
    wrong.push(
      ...state.receipts.flatMap((r, i) => receiptProblems(r, state).map((p) => `receipt ${i + 1}${name}: ${p}`)),
    );
    const alive = world.living.filter((l) => l.marker?.startsWith(state.runId) ?? states.length === 1);
    if (atRest.has(state.status)) {
      const secret = unnamed(alive, state);
      if (secret.length)
        wrong.push(`invariant 2 (stopped means stopped): ${state.status}, and alive: ${showLiving(secret)}`);
    }
  }
  await place.checkOutside();
  // programs that a command of the agent ran may keep caches and temporary files where every program does
  const ranCommands = states.some((s) => s.steps.some((step) => step.process));
  const counted = place.trespasses.filter((p) => !(ranCommands && /^(home|tmp)\//.test(p)));
  wrong.push(...counted.map((p) => `invariant 4 (nothing outside): ${p}`));
  if (states.every((s) => atRest.has(s.status))) {
    const scraps = await findScraps(place);
    if (scraps.length) wrong.push(`scraps in the workspace: ${scraps.join(', ')}`);
  }
  return wrong;
}

/** Final runs: exactly one result a call; others: at most one; no result without its call before it. */
export function transcriptProblems(state: RunState): string[] {
  const wrong: string[] = [];
  const called = new Map<string, number>();
  const steps = new Map(state.steps.map((s) => [s.id, s]));
  for (const entry of state.transcript) {
    if (entry.kind === 'assistant')
      for (const id of entry.stepIds) {
        if (called.has(id)) wrong.push(`step ${id} is called by two replies`);
        if (!steps.has(id)) wrong.push(`a reply calls ${id}, and there is no such step`);
        called.set(id, 0);
      }
    if (entry.kind === 'result') {
      const before = called.get(entry.stepId);
      if (before === undefined) wrong.push(`the result of ${entry.stepId} stands before its call, or has none`);
      else called.set(entry.stepId, before + 1);
    }
  }
  const final = ['aborted', 'completed', 'failed'].includes(state.status);
  for (const [id, results] of called) {
    const n = steps.get(id)?.n;
    if (results > 1) wrong.push(`step ${n} has ${results} results`);
    if (results === 0 && final) wrong.push(`the run is ${state.status}, and step ${n} has no result`);
  }
  for (const { id, n, compensates } of state.steps)
    if (!called.has(id) && compensates === undefined) wrong.push(`step ${n} is called by no reply`);
  return wrong;
}

/** Ids unique, numbers without gaps, outcomes and effects that go together. */
export function stepProblems(state: RunState): string[] {
  const wrong: string[] = [];
  const ids = new Set(state.steps.map((s) => s.id));
  if (ids.size !== state.steps.length) wrong.push('two steps have the same id');
  state.steps.forEach(({ n, outcome, effect }, i) => {
    if (n !== i + 1) wrong.push(`step ${i + 1} has the number ${n}`);
    if (outcome === 'cancelledBeforeEffect' && effect !== 'notStarted' && effect !== 'failedBeforeCommit')
      wrong.push(`step ${n} is called cancelled, and its effect is ${effect}`);
    if (outcome === 'notStarted' && effect !== 'notStarted')
      wrong.push(`step ${n} has not started, and its effect is ${effect}`);
  });
  return wrong;
}

const authorities = {
  pause: 'full',
  steer: 'full',
  takeOver: 'closing',
  abort: 'revoked',
  interrupted: 'full',
} as const;

/** The seven fields are there and agree with each other. */
export function receiptProblems(receipt: Receipt, state: RunState): string[] {
  const wrong: string[] = [];
  const { intent, authority, boundary, effects, evidence, recovery, resume, message } = receipt;
  const right = Object.hasOwn(authorities, intent) ? authorities[intent as keyof typeof authorities] : undefined;
  if (right !== undefined && right !== authority)
    wrong.push(`the authority after ${intent} is ${right}, not ${authority}`);
  if (!Number.isInteger(boundary) || boundary < 0 || boundary > state.steps.length)
    wrong.push(`no boundary ${boundary}`);
  if (receipt.phase === undefined) wrong.push('it has no phase');
  if (!Array.isArray(effects) || !Array.isArray(evidence)) wrong.push('effects or evidence are missing');
  if (typeof resume?.allowed !== 'boolean') wrong.push('it does not say whether a resume is allowed');
  else if (right !== undefined && resume.allowed === (intent === 'abort'))
    wrong.push(`after ${intent} a resume cannot be ${resume.allowed ? '' : 'not '}allowed`);
  if (!message) wrong.push('it has no message');
  const open = effects?.filter((e) => e.outcome === 'unknown') ?? [];
  if (open.length > 0 && (recovery === 'none' || recovery === 'resume'))
    wrong.push(`an effect is unknown, and the recovery is ${recovery}`);
  if (
    /cancel/i.test(message ?? '') &&
    effects?.some((e) => e.effect !== 'notStarted' && e.effect !== 'failedBeforeCommit')
  )
    wrong.push(`"cancelled" is said where an effect was requested: ${message}`);
  return wrong;
}

/** Names of ours that a write leaves behind when it is not cleaned up; the scenario's own files do not count. */
async function findScraps(place: Place): Promise<string[]> {
  const names = [...(await fingerprint(place.workspace, { content: false })).keys()];
  return names.filter((name) => /(^|\/)\.holdfast-[^/]*$/.test(name) && !place.atStart.has(name));
}

/** After a fresh start on the same storage: the run is listed, whole, and stands where it stood. */
export function reloadProblems(before: RunState, after: RunState | undefined, listed: readonly RunSummary[]): string[] {
  const wrong: string[] = [];
  if (!listed.some((r) => r.runId === before.runId)) wrong.push(`a fresh start does not list the run ${before.runId}`);
  if (!after) return [...wrong, `a fresh start cannot load the run ${before.runId}`];
  // a run that was under way may have come further before its host ended, but it never goes on by itself
  const moving = interruptible.has(before.status);
  if (moving ? interruptible.has(after.status) : after.status !== before.status)
    wrong.push(`it was ${before.status}, and after a fresh start it is ${after.status}`);
  for (const step of before.steps) {
    if (step.outcome === 'running' || step.outcome === 'notStarted' || step.outcome === 'unknown') continue;
    const now = after.steps.find((s) => s.id === step.id);
    if (now?.outcome !== step.outcome)
      wrong.push(`step ${step.n} was ${step.outcome}, and after a fresh start it is ${now?.outcome ?? 'gone'}`);
  }
  for (const decision of before.decisions) {
    if (decision.state !== 'pending' || moving) continue;
    const now = after.decisions.find((d) => d.id === decision.id);
    if (now?.state !== 'pending')
      wrong.push(`the open ${decision.kind} is ${now?.state ?? 'gone'} after a fresh start`);
  }
  if (after.notes.length < before.notes.length) wrong.push('notes are gone after a fresh start');
  return wrong.map((p) => `invariant 7 (loads again): ${p}`);
}

/** What an answer of the human does to a run; pure. */
import type { Effect, RunEvent, SideTaken } from './events';
import { afterFailure, isCommands } from '../reconcile/sides';
import { noteLate, tellLate } from './answeredLate';
import { onUndoTurn } from './compensate';
import { halt, pump, rest, startReconcile } from './flow';
import type { Decision, DecisionState, FileChange, RunState } from './state';
import { isFinal } from './state';
import {
  endStep,
  fileOf,
  outlivesStop,
  pendingDecisions,
  say,
  runAgain,
  setDecision,
  setFile,
  setPhase,
  setStep,
  stepOf,
} from './update';

type Answered = Extract<RunEvent, { type: 'decisionAnswered' }>;

const fate = (decision: Decision, choice: string): DecisionState => {
  if (decision.kind !== 'approval') return 'answered';
  return choice === 'reject' ? 'rejected' : 'granted';
};

/** What a check of an unknown effect has found. */
export function checked(event: Extract<RunEvent, { type: 'effectChecked' }>): Parameters<typeof settleEffect>[2] {
  const happened = event.verdict === 'happened';
  return {
    happened,
    text: `${happened ? 'It happened' : 'It did not happen'}: ${event.proof}`,
    changes: event.changes,
  };
}

/** What an unknown effect did is known now; the call gets its one result, a final run's has it already. */
export function settleEffect(
  s: RunState,
  id: string,
  { happened, text, changes }: { happened: boolean; text: string; changes?: FileChange[] | undefined },
  at: number,
): void {
  const outcome = happened ? 'done' : 'failedBeforeEffect';
  const effect = happened ? 'committed' : 'failedBeforeCommit';
  const { endedAt = at } = stepOf(s, id) ?? {};
  if (s.transcript.some((e) => e.kind === 'result' && e.stepId === id))
    setStep(s, id, { outcome, effect, ...(changes ? { changes } : {}) });
  else
    endStep(
      s,
      { stepId: id, outcome, effect, text, changes: happened ? (changes ?? stepOf(s, id)?.changes ?? []) : [] },
      at,
    );
  // It has ended when it did, not when that was known.
  setStep(s, id, { endedAt });
}

/** The human settles what an unknown effect did, or asks for it again. */
function settleUnknown(s: RunState, decision: Decision, choice: string, at: number): void {
  const step = decision.stepId === undefined ? undefined : stepOf(s, decision.stepId);
  if (!step) return;
  if (choice === 'runAgain') {
    runAgain(s, step);
    return;
  }
  const happened = choice === 'happened';
  const said = happened ? 'It happened, the human says.' : 'It did not happen, the human says.';
  const text = `${said} Before that its effect was unknown: ${step.text ?? ''}`;
  settleEffect(s, step.id, { happened, text }, at);
}

/** Waiting runs go on when the last question is answered; a resume looks at the world again first. */
export function goOn(s: RunState, at: number): Effect[] {
  if (s.status !== 'awaitingApproval' && s.status !== 'needsHuman') return [];
  if (pendingDecisions(s).length > 0) return pump(s, at);
  if (s.resuming) return startReconcile(s, at);
  if (s.stale) {
    s.resuming = { via: 'answer' };
    return startReconcile(s, at);
  }
  return pump(s, at);
}

/** The version the human chose is in place. */
export function onSideTaken(s: RunState, event: SideTaken, at: number): Effect[] {
  if (s.inFlight?.kind !== 'takeSide') return [];
  s.inFlight = null;
  const { decisionId, choice, text, now, said } = event;
  const decision = s.decisions.find((d) => d.id === decisionId);
  if (decision && event.failed) {
    setDecision(s, decisionId, afterFailure(decision, said, now));
  } else if (decision) {
    setDecision(s, decisionId, { state: 'answered', answer: { choice, ...(text === undefined ? {} : { text }), at } });
    const { path = '' } = decision;
    const old = fileOf(s, path);
    if (now && choice === 'agent') {
      // A text that neither the run nor its command made is the human's: no write of the run goes over it unseen.
      const moves = old?.base !== undefined && !old.seen && isCommands(decision.change, now.hash);
      if (moves) setFile(s, path, { base: now.hash });
    } else if (now) {
      const knownType = now.hash === null ? 'missing' : 'file';
      setFile(s, path, { known: now.hash, knownSize: now.size, knownType, by: 'human', human: true });
    }
    say(s, { kind: 'report', text: said, at });
  }
  return afterLook(s, at);
}

/** A check, or a side, is over: the stop that waits for it, then the undo that does, then the run. */
export function afterLook(s: RunState, at: number): Effect[] {
  if (s.stopping) return rest(s, at);
  if (s.compensating) return onUndoTurn(s);
  return isFinal(s.status) ? [] : goOn(s, at);
}

export function onDecision(s: RunState, event: Answered, at: number): Effect[] {
  const decision = s.decisions.find((d) => d.id === event.decisionId);
  if (decision?.state !== 'pending') return [];
  // The stop takes it back.
  if (s.stopping && s.stopping.intent !== 'steer' && !outlivesStop(decision)) return [];
  const { choice, text } = event;
  // Nothing runs again in a run that is over; a compensation is asked for anew.
  const undo = decision.stepId !== undefined && stepOf(s, decision.stepId)?.compensates !== undefined;
  if (decision.kind === 'unknownEffect' && choice === 'runAgain' && (isFinal(s.status) || undo)) return [];

  if (decision.kind === 'unknownEffect' && choice === 'check') {
    if (s.inFlight || decision.stepId === undefined) return [];
    s.inFlight = { kind: 'check', decisionId: decision.id, stepId: decision.stepId };
    return [{ type: 'checkEffect', decisionId: decision.id, stepId: decision.stepId }];
  }

  if (decision.source === 'command') {
    if (s.inFlight) return [];
    // Answered when it is done: after a crash in between it is asked again, and doing it twice is doing it once.
    s.inFlight = { kind: 'takeSide', decisionId: decision.id, choice };
    return [{ type: 'takeSide', decisionId: decision.id, choice, ...(text === undefined ? {} : { text }) }];
  }

  const answer = { choice, ...(text === undefined ? {} : { text }), at };
  setDecision(s, decision.id, { state: fate(decision, choice), answer });
  // The human knows: what a check of it still finds out changes nothing any more.
  const checked = s.inFlight?.kind === 'check' && s.inFlight.decisionId === decision.id;
  if (checked) s.inFlight = null;

  switch (decision.kind) {
    case 'unknownEffect':
      settleUnknown(s, decision, choice, at);
      if (decision.stepId !== undefined) noteLate(s, decision.stepId);
      if (isFinal(s.status)) tellLate(s, at);
      break;
    case 'approval':
      if (choice === 'grantForRun') s.grants = [...s.grants, decision.subject];
      break;
    case 'unsaved':
      if (s.resuming)
        s.resuming = {
          ...s.resuming,
          unsaved: [
            ...(s.resuming.unsaved ?? []),
            { choice, paths: decision.paths ?? [], ...(event.seen ? { seen: event.seen } : {}) },
          ],
        };
      break;
    case 'worldChanged':
      if (choice === 'stop') {
        halt(s, 'world', 'You stopped it because the workspace had changed. Resume looks again.', at);
        return [];
      }
      if (s.resuming) s.resuming = { ...s.resuming, world: decision.subject };
      if (choice === 'end' && s.frozen !== null) {
        const stepId = s.frozen;
        s.frozen = null;
        s.inFlight = { kind: 'step', stepId };
        // No rest while it lives.
        s.status = 'running';
        setPhase(s, 'callingExternal', at);
        return [{ type: 'endFrozen', stepId, force: false }];
      }
      break;
    case 'conflict':
    case 'question':
      break;
  }
  if (checked) return [{ type: 'interrupt', how: 'end' }, ...afterLook(s, at)];
  if (s.compensating) return onUndoTurn(s);
  if (isFinal(s.status)) return [];
  return goOn(s, at);
}

/** What an answer of the human does to a run; pure. */
import type { Effect, RunEvent } from './events';
import { halt, pump, startReconcile } from './flow';
import type { Decision, DecisionState, RunState } from './state';
import { isFinal } from './state';
import { endStep, pendingDecisions, setDecision, setStep, stepOf } from './update';

type Answered = Extract<RunEvent, { type: 'decisionAnswered' }>;

const fate = (decision: Decision, choice: string): DecisionState => {
  if (decision.kind !== 'approval') return 'answered';
  return choice === 'reject' ? 'rejected' : 'granted';
};

/** The human settles what an unknown effect did; the call gets its one result. */
function settleUnknown(s: RunState, decision: Decision, choice: string, at: number): void {
  const step = decision.stepId === undefined ? undefined : stepOf(s, decision.stepId);
  if (!step) return;
  const known = s.transcript.some((e) => e.kind === 'result' && e.stepId === step.id);
  if (choice === 'runAgain' && !isFinal(s.status)) {
    setStep(s, step.id, {
      outcome: 'notStarted',
      effect: 'notStarted',
      repeatOf: (step.repeatOf ?? 0) + 1,
      changes: [],
    });
    return;
  }
  const happened = choice === 'happened';
  const said = happened ? 'It happened, the human says.' : 'It did not happen, the human says.';
  if (known) {
    // Final runs have their result already; what really happened is still recorded with the step.
    setStep(s, step.id, {
      outcome: happened ? 'done' : 'failedBeforeEffect',
      effect: happened ? 'committed' : 'failedBeforeCommit',
    });
    return;
  }
  endStep(
    s,
    {
      stepId: step.id,
      outcome: happened ? 'done' : 'failedBeforeEffect',
      effect: happened ? 'committed' : 'failedBeforeCommit',
      text: `${said} Before that its effect was unknown: ${step.text ?? ''}`,
      changes: happened ? step.changes : [],
    },
    at,
  );
}

/** Waiting runs go on when the last question is answered; a resume looks at the world again first. */
function goOn(s: RunState, at: number): Effect[] {
  if (s.status !== 'awaitingApproval' && s.status !== 'needsHuman') return [];
  if (pendingDecisions(s).length > 0) return pump(s, at);
  if (s.resuming) return startReconcile(s, at);
  if (s.stale) {
    s.resuming = { via: 'answer' };
    return startReconcile(s, at);
  }
  return pump(s, at);
}

export function onDecision(s: RunState, event: Answered, at: number): Effect[] {
  const decision = s.decisions.find((d) => d.id === event.decisionId);
  if (decision?.state !== 'pending') return [];
  const { choice, text } = event;

  if (decision.kind === 'unknownEffect' && choice === 'check') {
    if (s.inFlight || decision.stepId === undefined) return [];
    s.inFlight = { kind: 'check', decisionId: decision.id, stepId: decision.stepId };
    return [{ type: 'checkEffect', decisionId: decision.id, stepId: decision.stepId }];
  }

  const answer = { choice, ...(text === undefined ? {} : { text }), at };
  setDecision(s, decision.id, { state: fate(decision, choice), answer });

  switch (decision.kind) {
    case 'unknownEffect':
      settleUnknown(s, decision, choice, at);
      break;
    case 'approval':
      if (choice === 'grantForRun') s.grants = [...s.grants, decision.subject];
      break;
    case 'unsaved':
      if (s.resuming) s.resuming = { ...s.resuming, unsaved: { choice, paths: decision.paths ?? [] } };
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
        return [{ type: 'endFrozen', stepId, force: false }];
      }
      break;
    case 'conflict':
    case 'question':
      break;
  }
  if (isFinal(s.status)) return [];
  return goOn(s, at);
}

/** After a crash: what can be told of a step in flight, from the world itself. */
import type { FileStat, Ports, ProcessId } from '../ports';
import { heldBy } from '../checkpoints/links';
import { cutOffQuestions } from '../reconcile/cutOff';
import { look } from '../world';
import type { StepEnd } from './events';
import type { FileChange, RunState, Step } from './state';
import { stepOf } from './update';

/** The step may have changed it, and somebody changed it back. */
const touchedSince = ({ touchedMs }: FileChange, stat: FileStat | undefined): boolean =>
  touchedMs !== undefined && stat !== undefined && stat.ctimeMs !== touchedMs;

/** Compares what is there with what the change would have made. */
export async function verifyFiles(
  ports: Ports,
  step: Step,
): Promise<{ verdict: 'happened' | 'didNotHappen' | 'unknown'; proof: string; changes?: FileChange[] }> {
  const proofs: string[] = [];
  const made: FileChange[] = [];
  let after = 0;
  let before = 0;
  for (const { unformatted, ...change } of step.changes) {
    const now = await look(ports, change.path);
    const held = change.link ? await heldBy(ports, now) : undefined;
    const hash = held ? held.hash : change.unsaved ? now.hash : now.diskHash;
    if (held === undefined && now.type === 'unreadable') proofs.push(`${change.path} cannot be read`);
    else if (unformatted && hash === unformatted.after) {
      after += 1;
      made.push({ ...change, ...unformatted });
      proofs.push(`${change.path} holds what the step wrote, and the formatter did not change it`);
    } else if (hash === change.after) {
      after += 1;
      made.push(change);
      proofs.push(`${change.path} holds what the step was to write`);
    } else if (hash === change.before && touchedSince(change, now.stat)) {
      proofs.push(`${change.path} holds what was there before the step, and was written or touched since`);
    } else if (hash === change.before) {
      before += 1;
      proofs.push(`${change.path} holds what was there before the step`);
    } else proofs.push(`${change.path} holds something else`);
  }
  const all = step.changes.length;
  const verdict = all > 0 && after === all ? 'happened' : all > 0 && before === all ? 'didNotHappen' : 'unknown';
  return { verdict, proof: `${proofs.join('; ')}.`, ...(verdict === 'happened' ? { changes: made } : {}) };
}

async function settleStep(ports: Ports, step: Step): Promise<StepEnd> {
  const { id: stepId } = step;
  if (step.effect !== 'requested') {
    const text =
      'cancelledBeforeEffect (reason: interrupted): the process of the agent ended before this call did anything.';
    return { stepId, outcome: 'cancelledBeforeEffect', effect: 'notStarted', reason: 'interrupted', text };
  }
  if (step.effectKind === 'workspace' && step.changes.length > 0) {
    const { verdict, proof, changes } = await verifyFiles(ports, step);
    if (verdict === 'happened') {
      return {
        stepId,
        outcome: 'done',
        effect: 'committed',
        text: `Done (checked after an interruption): ${proof}`,
        changes: changes ?? step.changes,
      };
    }
    if (verdict === 'didNotHappen') {
      const text = `failedBeforeEffect (reason: interrupted): ${proof}`;
      return { stepId, outcome: 'failedBeforeEffect', effect: 'failedBeforeCommit', reason: 'interrupted', text };
    }
    return {
      stepId,
      outcome: 'unknown',
      effect: 'unknown',
      reason: 'interrupted',
      text: `The process of the agent ended during this step. ${proof}`,
    };
  }
  return {
    stepId,
    outcome: 'unknown',
    effect: 'unknown',
    reason: 'interrupted',
    text: 'The process of the agent ended during this step; what it did is not known.',
  };
}

/** Ends what a dead host left running and says what became of each step that was in flight, frozen or in the background. */
export async function settleAfterCrash(
  ports: Ports,
  state: RunState,
): Promise<{ settled: StepEnd[]; survivors: ProcessId[] }> {
  const survivors: ProcessId[] = [];
  const grace = ports.settings.stopGraceMs();
  const live = new Set([...state.background, ...(state.frozen === null ? [] : [state.frozen])]);
  const running = state.steps.filter((step) => step.outcome === 'running');
  for (const step of running) live.add(step.id);
  for (const id of live) {
    const step = stepOf(state, id);
    if (step?.process) {
      const { id, marker, loose = [] } = step.process;
      // The loose ones first: they have left, and the tree may end in less than their grace.
      for (const one of [...loose, id]) survivors.push(...(await ports.processes.endFound(one, marker, grace)));
    }
    // Killed between the spawn and its record: the marker alone finds it.
    else if (step?.tool === 'run_command' && step.effect === 'requested') {
      const nobody = { pid: 0, startTime: '', command: '' };
      survivors.push(...(await ports.processes.endFound(nobody, step.id, grace)));
    }
  }
  for (const { id, marker } of state.servers ?? [])
    survivors.push(...(await ports.processes.endFound(id, marker, grace)));
  const settled: StepEnd[] = [];
  for (const step of running) {
    const end = await settleStep(ports, step);
    const asks =
      step.tool === 'run_command' && step.effect === 'requested' ? await cutOffQuestions(ports, state, step) : [];
    settled.push(asks.length > 0 ? { ...end, asks } : end);
  }
  await ports.files.sweepScraps(running.flatMap((step) => step.changes.map((c) => c.path)));
  return { settled, survivors };
}

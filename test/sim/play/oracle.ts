/** Watches a simulated session and says what of the law was broken: on every change of the run, of the world, and on every request. */
import type { RunState, Step } from '../../../src/core/run/state';
import { fileOf, pendingDecisions, stepOf } from '../../../src/core/run/update';
import { isServerTool } from '../../../src/core/toolNames';
import { sha256 } from '../../../src/node/hash';
import { encode } from '../../../src/core/reconcile/text';
import { receiptProblems, stepProblems, transcriptProblems } from '../../scenarios/invariants';
import type { BufferChange } from '../buffers';
import type { DiskChange } from '../files';
import type { SimWorld } from '../world';
import { humanLines, LINE, LOG, wordOf } from './acts';
import { Back } from './back';
import { Lines, textOf } from './lines';
import { Talk } from './talk';

const REST = new Set<RunState['status']>([
  'paused',
  'awaitingApproval',
  'humanControl',
  'needsHuman',
  'aborted',
  'completed',
  'failed',
]);
/** Outcomes that say: it did nothing. */
const NOTHING_DONE = new Set<Step['outcome']>(['cancelledBeforeEffect', 'failedBeforeEffect', 'skipped', 'notStarted']);
/** Nobody reads further than the first few. */
const MOST_WRONG = 20;

type Where = 'disk' | 'buffer' | 'process' | 'remote';

export class Oracle {
  readonly wrong: string[] = [];
  readonly effects = new Map<string, number>();
  /** How often the human asked for a step again. */
  readonly repeats = new Map<string, number>();
  /** The same by the word its command writes: the log outlives the run. */
  readonly askedAgain = new Map<string, number>();
  /** Called with each state that is shown. */
  onState: ((state: RunState) => void) | undefined;
  /** Paths of files that the human deleted. */
  deleted: Set<string> = new Set();
  /** Lines that a repeat which the human asked for has put in once more. */
  private readonly askedTwice = new Set<string>();
  private readonly lines: Lines;
  private readonly talk: Talk;
  private readonly back: Back;
  private readonly shown = new Map<number, RunState>();
  /** Steps that were shown done, with an effect, by a state that was on disk. */
  private readonly finished = new Set<string>();
  /** Steps of a fork that were done by the run it was made of. */
  private readonly inherited = new Set<string>();
  /** Steps whose intent came when the stop was known already. */
  private readonly late = new Set<string>();
  private state: RunState | undefined;
  private crashed = false;

  constructor(private readonly world: SimWorld) {
    const blame = (what: string): void => this.blame(what);
    this.lines = new Lines(world, blame);
    this.talk = new Talk(world, blame);
    this.back = new Back(world, blame);
    world.onState = (state) => this.see(state);
    world.files.onChange = (changes) => this.disk(changes);
    world.buffers.onChange = (change) => this.buffer(change);
    world.processes.onSpawn = (marker, command) => this.spawn(marker, command);
    world.servers.onEffect = (callId) => this.remote(callId);
    world.models.onRequest = (request) => this.talk.request(request, this.state);
  }

  blame(what: string): void {
    const { state } = this;
    if (this.wrong.length < MOST_WRONG)
      this.wrong.push(`${what} [record ${state?.seq ?? 0}, ${state?.status ?? 'no run'}]`);
  }

  // ---------------------------------------------------------- states

  private see(state: RunState): void {
    let before = this.state;
    this.back.see(state);
    // An earlier run, whose end could not be written until now.
    if (before && state.runId < before.runId) return;
    if (state.runId !== before?.runId) {
      before = undefined;
      for (const of of [this.shown, this.lines, this.talk, this.finished, this.late]) of.clear();
      if (state.forkedFrom) this.inherit(state);
    } else if (this.crashed) {
      before = undefined;
      this.lines.forget(state);
      this.talk.forget(state);
    }
    this.crashed = false;
    this.state = state;
    this.onState?.(state);
    this.shown.set(state.seq, state);
    // States replace what they change: what is the same object has been looked at.
    if (before?.files !== state.files) this.lines.learn(state);
    if (before?.transcript !== state.transcript || before.status !== state.status)
      for (const problem of transcriptProblems(state)) this.blame(problem);
    if (before?.steps !== state.steps) this.seeSteps(before, state);
    const receipt = state.receipts.at(-1);
    if (receipt && before?.receipts !== state.receipts)
      for (const problem of receiptProblems(receipt, state)) this.blame(`receipt: ${problem}`);
    this.talk.see(before, state);
    this.checkControl(state);
    if (REST.has(state.status)) this.checkRest(state);
    if (state.unstored === undefined && state.seq > this.world.promises.appendedSeq(state.runId))
      this.blame('it is shown before it is written');
  }

  private seeSteps(before: RunState | undefined, state: RunState): void {
    for (const problem of stepProblems(state)) this.blame(problem);
    for (const step of state.steps) {
      const last = before && stepOf(before, step.id);
      if (last === step) continue;
      if (step.effect === 'requested' && last?.effect !== 'requested' && before?.stopping) this.late.add(step.id);
      if (step.outcome === 'notStarted') {
        this.late.delete(step.id);
        this.world.promises.forgetIntent(step.id);
      }
      if (step.outcome === 'done' && step.effect === 'committed' && state.unstored === undefined)
        this.finished.add(step.id);
      this.checkTruth(state, step);
    }
  }

  /** A fork begins with what another run has done. */
  private inherit(state: RunState): void {
    for (const { id, outcome } of state.steps) if (outcome !== 'notStarted') this.inherited.add(id);
  }

  private checkControl({ status, control }: RunState): void {
    const wanted =
      status === 'humanControl' ? 'human' : status === 'running' || status === 'reconciling' ? 'agent' : undefined;
    if (!['agent', 'human'].includes(control) || (wanted !== undefined && wanted !== control))
      this.blame(`control is ${control}`);
  }

  /** What a step says of its effect is what happened. */
  private checkTruth(state: RunState, { id, n, tool, outcome, effect, changes }: Step): void {
    if (this.inherited.has(id)) return;
    // Where a human looked later, the world may have moved on since.
    if (state.decisions.some((d) => d.kind === 'unknownEffect' && d.stepId === id)) return;
    for (const { path, after, noBlob } of effect === 'committed' ? changes : [])
      if (after !== null && !noBlob && this.world.store.peek(after) === undefined)
        this.blame(`of what step ${n} made of ${path} there is no copy`);
    const count = (this.effects.get(`disk ${id}`) ?? 0) + (this.effects.get(`buffer ${id}`) ?? 0);
    const remote = this.effects.get(`remote ${id}`) ?? 0;
    const all = count + remote + (this.effects.get(`process ${id}`) ?? 0);
    if (NOTHING_DONE.has(outcome) && all > 0) this.blame(`step ${n} is ${outcome}, and it had its effect`);
    // What the human wrote meanwhile may be what the step was to write: found so after a crash, it counts as done.
    const found = stepOf(state, id)?.text?.startsWith('Done (checked after an interruption)') ?? false;
    const acts = changes.some((change) => !change.command) ? count : isServerTool(tool) ? remote : 1;
    if (effect === 'committed' && acts === 0 && !found) this.blame(`step ${n} is committed, and it had no effect`);
  }

  private checkRest(state: RunState): void {
    for (const { marker, frozen } of this.world.processes.living()) {
      if (!marker.startsWith(`${state.runId}/`)) continue;
      if (state.background.includes(marker) || (marker === state.frozen && frozen)) continue;
      if (marker === state.compensating?.stepId) continue;
      this.blame(`at rest, and alive: ${marker}`);
    }
  }

  // ---------------------------------------------------------- effects

  private disk(changes: readonly DiskChange[]): void {
    const [one] = changes;
    if (one && this.back.took(one)) {
      for (const other of changes.slice(1)) this.back.took(other);
      return;
    }
    if (one && this.tookSide(one)) return;
    const step = this.effectAllowed('disk');
    const after = new Set(changes.flatMap((change) => humanLines(textOf(change.after))));
    for (const change of changes) {
      const { path, op } = change;
      if (path.startsWith('.') || path.startsWith('/')) this.blame(`${op} outside the workspace: ${path}`);
      const before = textOf(change.before);
      this.gone(
        humanLines(before).filter((line) => !after.has(line)),
        { path, op, step },
        change.before,
      );
      this.checkOnce(path, textOf(change.after), step);
      if (change.before === null && change.after !== null) this.checkMade(path, step);
    }
    const [first] = changes;
    if (first && step !== undefined) this.checkApproved(step, first.op, first);
  }

  /** After a command the human has chosen their own version: over what the question showed, and nothing else. */
  private tookSide({ op, path, before, after }: DiskChange): boolean {
    const { inFlight, decisions = [] } = this.state ?? {};
    if (inFlight?.kind !== 'takeSide') return false;
    const asked = decisions.find((d) => d.id === inFlight.decisionId);
    const hash = (bytes: Uint8Array | null): string | null => bytes && sha256(bytes);
    if (asked?.source !== 'command' || asked.path !== path || op !== 'write')
      this.blame(`${op} of ${path} while a side of ${asked?.path} is put in place`);
    else if (asked.change?.after !== hash(before))
      this.blame(`a side of ${path} is put over what the question did not show`);
    // Theirs as it was before the command, or what they make of it by hand: a line of their own.
    if (asked?.change?.before !== hash(after) && humanLines(textOf(after)).length === 0)
      this.blame(`a side of ${path} is put in place that is none of theirs`);
    this.deleted.delete(path);
    return true;
  }

  private gone(
    lines: readonly string[],
    where: { path: string; op: string; step: string | undefined },
    before: Uint8Array | null,
  ): void {
    const { state } = this;
    if (!state || lines.length === 0) return;
    const hash = before ? sha256(before) : '';
    for (const line of lines) this.lines.justify(state, { ...where, line, hash });
  }

  /** An approval covers the content that was shown, and nothing that is asked about happens without one. */
  private checkApproved(stepId: string, op: string, { before, after }: Pick<DiskChange, 'before' | 'after'>): void {
    const { state, world } = this;
    if (!state || (this.effects.get(`disk ${stepId}`) ?? 0) > 1) return;
    const decisions = state.decisions.filter((d) => d.stepId === stepId && d.state === 'granted');
    const mode = world.settings.approvals;
    const asked = mode === 'edits' || (mode === 'ask' && op === 'remove');
    if (asked && op !== 'move' && decisions.length === 0) {
      const settled = state.decisions.some((d) => d.stepId === stepId && d.state === 'answered');
      if (!settled) this.blame(`step ${stepId} changed a file, and nobody was asked`);
    }
    const hash = (bytes: Uint8Array | null): string | null => bytes && sha256(bytes);
    const last = decisions.at(-1);
    if (!last?.change || last.answer?.choice === 'edit') return;
    if (last.change.before !== hash(before) || last.change.after !== hash(after))
      this.blame(`step ${stepId} did something else than was approved`);
  }

  /** What the human deleted under the run's eyes comes back only when they say so. */
  private checkMade(path: string, step: string | undefined): void {
    const { state } = this;
    const knew = state && typeof fileOf(state, path)?.base === 'string';
    const agreed = state?.decisions.some((d) => d.stepId === step && d.state === 'granted');
    if (this.deleted.delete(path) && knew && !agreed) this.blame(`${path} was made again, which the human had deleted`);
  }

  private buffer({ op, path, before, after }: BufferChange): void {
    // Saved or discarded because the human answered so: their own act.
    if (op !== 'edit') return;
    const bytes = (text: string): Uint8Array => encode(text, 'utf8');
    if (this.back.took({ op, path, before: bytes(before), after: bytes(after) })) return;
    const step = this.effectAllowed('buffer');
    const kept = new Set(humanLines(after));
    const lost = humanLines(before).filter((line) => !kept.has(line));
    this.gone(lost, { path, op, step }, bytes(before));
    this.checkOnce(path, after, step);
  }

  private spawn(marker: string, command: string): void {
    const { state } = this;
    const step = this.effectAllowed('process');
    if (step === undefined || !state) return;
    if (marker !== step) this.blame(`${marker} begins while ${step} is in flight`);
    this.checkAsked(state, step, command);
  }

  private remote(callId: string): void {
    const { state } = this;
    const step = this.effectAllowed('remote');
    if (step === undefined || !state) return;
    if (callId !== step) this.blame(`${callId} acts elsewhere while ${step} is in flight`);
    this.checkAsked(state, step, callId);
  }

  private checkAsked(state: RunState, step: string, what: string): void {
    // Who asks for a repeat has agreed to it: in a fork the approval of the first try is the other run's.
    const agreed = this.repeats.has(step) || state.decisions.some((d) => d.stepId === step && d.state === 'granted');
    const forRun = state.grants.length > 0;
    if (this.world.settings.approvals !== 'auto' && !agreed && !forRun)
      this.blame(`"${what}" runs, and nobody was asked`);
  }

  private effectAllowed(where: Where): string | undefined {
    const { state } = this;
    const stepId = state?.inFlight?.kind === 'step' ? state.inFlight.stepId : undefined;
    const atWork = state && (!REST.has(state.status) || state.compensating?.stepId === stepId);
    if (!atWork || stepId === undefined) {
      this.blame(`an effect (${where}) with no step in flight`);
      return undefined;
    }
    const key = `${where} ${stepId}`;
    const count = (this.effects.get(key) ?? 0) + 1;
    this.effects.set(key, count);
    if (count > 1 + (this.repeats.get(stepId) ?? 0)) this.blame(`step ${stepId} had its effect ${count} times`);
    if (!this.world.promises.isIntentDurable(stepId))
      this.blame(`step ${stepId} has its effect (${where}), and its intent is not on disk`);
    if (this.late.has(stepId)) this.blame(`step ${stepId} has its effect (${where}), and the stop came before it`);
    this.talk.effect(state, stepId);
    return stepId;
  }

  private checkOnce(path: string, content: string, step: string | undefined): void {
    const lines: readonly string[] = content.match(LINE) ?? [];
    if (new Set(lines).size === lines.length) return;
    const again = lines.filter((line, i) => lines.indexOf(line) !== i);
    // What did happen, and the human had it run again: they have it twice, as asked.
    if (step !== undefined && this.repeats.has(step)) for (const line of again) this.askedTwice.add(line);
    const twice = again.filter((line) => !this.askedTwice.has(line));
    if (twice.length > 0) this.blame(`${path} holds twice: ${twice.join(', ')}`);
  }

  // ---------------------------------------------------------- crashes and the end

  /** Right after a crash: what is stored is what was shown, up to what was not durable, and no finished step is lost. */
  checkStored(loaded: RunState | undefined): void {
    this.crashed = true;
    this.back.crash();
    const { state } = this;
    // A fork that was cut off before anything of it was shown.
    if (!state || (loaded && loaded.runId !== state.runId)) return;
    const durable = this.world.promises.durableSeq(state.runId);
    if (!loaded) {
      if (durable > 0) this.blame('nothing loads after a crash');
      return;
    }
    if (loaded.seq < durable) this.blame(`record ${durable} was durable, ${loaded.seq} is the last that loads`);
    const shown = this.shown.get(loaded.seq);
    if (shown && JSON.stringify(shown) !== JSON.stringify(loaded))
      this.blame(`the state of record ${loaded.seq} loads other than it was shown`);
    for (const id of this.finished)
      if (stepOf(loaded, id)?.outcome !== 'done') this.blame(`${id} was done, and a crash has taken it`);
    if (loaded.seq > state.seq) return;
    for (const seq of this.shown.keys()) if (seq > loaded.seq) this.shown.delete(seq);
  }

  /** What waits for the human is found as it was; what was at work is paused, with a receipt and at most one effect unknown. */
  checkReopened(before: RunState, after: RunState): void {
    const unknown = after.steps.filter((s) => s.outcome === 'unknown' && stepOf(before, s.id)?.outcome !== 'unknown');
    if (unknown.length > 1) this.blame(`${unknown.length} steps are unknown after one crash`);
    this.back.checkReopened(before, after);
    if (!REST.has(before.status)) {
      if (after.status !== 'paused' || after.reason?.code !== 'interrupted')
        this.blame(`it was ${before.status}, and is ${after.status} after a crash`);
      if (after.receipts.at(-1)?.intent !== 'interrupted') this.blame('a crash has no receipt');
      return;
    }
    if (after.status !== before.status) this.blame(`it was ${before.status}, and is ${after.status} after a crash`);
    for (const { id } of pendingDecisions(before))
      if (!pendingDecisions(after).some((d) => d.id === id)) this.blame(`the question ${id} is gone after a crash`);
  }

  /** What the source of a fork did after that boundary the fork does again, where it was planned by then. */
  mayComeAgain(source: RunState, n: number): void {
    for (const step of source.steps.slice(n)) {
      const word = wordOf(step);
      if (word !== undefined) this.askedAgain.set(word, (this.askedAgain.get(word) ?? 0) + 1);
    }
  }

  /** Each word of the command log stands there once, and once more for each repeat that was asked for. */
  checkLog(): void {
    const logged = (this.world.files.text(LOG) ?? '').split('\n').filter((word) => word !== '');
    const words = [...logged, ...this.world.servers.ledger.map(({ word }) => word)];
    for (const step of this.state?.steps ?? []) {
      const word = wordOf(step);
      if (step.tool !== 'run_command' || word === undefined || !NOTHING_DONE.has(step.outcome) || !words.includes(word))
        continue;
      // An undo that a stop withdrew may have been asked for once more: that one is another step with the same word.
      const asked = (other: Step): boolean =>
        other.compensates === step.compensates && !NOTHING_DONE.has(other.outcome);
      if (step.compensates !== undefined && this.state?.steps.some(asked)) continue;
      if (!this.repeats.has(step.id) && !this.askedAgain.has(word))
        this.blame(`step ${step.n} is ${step.outcome}, and its command ran`);
    }
    for (const word of new Set(words)) {
      const count = words.filter((w) => w === word).length;
      if (count > 1 + (this.askedAgain.get(word) ?? 0)) this.blame(`the call that leaves ${word} ran ${count} times`);
    }
  }
}

/** Watches a simulated session and says what of the law was broken: on every change of the run, on every state it shows. */
import type { Decision, RunState, Step } from '../../../src/core/run/state';
import { fileOf } from '../../../src/core/run/update';
import { receiptProblems, stepProblems, transcriptProblems } from '../../scenarios/invariants';
import type { BufferChange } from '../buffers';
import type { DiskChange } from '../files';
import type { SimWorld } from '../world';
import { humanLines, LINE, LOG } from './acts';

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
const text = (bytes: Uint8Array | null | undefined): string => (bytes ? new TextDecoder().decode(bytes) : '');

export class Oracle {
  readonly wrong: string[] = [];
  readonly effects = new Map<string, number>();
  /** How often the human asked for a step again. */
  readonly repeats = new Map<string, number>();
  /** The same by the word its command writes: the log outlives the run. */
  readonly askedAgain = new Map<string, number>();
  /** Paths of files that the human deleted. */
  deleted: Set<string> = new Set();
  private readonly shown = new Map<number, string>();
  /** Human lines that stood in a file when this run first saw it: they are content like any other. */
  private readonly found = new Set<string>();
  /** Those that came later: gone only after an approval that showed them. */
  private readonly owned = new Set<string>();
  private readonly knew = new Map<string, string | null>();
  private state: RunState | undefined;

  constructor(private readonly world: SimWorld) {
    world.onState = (state) => this.see(state);
    world.files.onChange = (changes) => this.disk(changes);
    world.buffers.onChange = (change) => this.buffer(change);
  }

  blame(what: string): void {
    const { state } = this;
    if (this.wrong.length < 20) this.wrong.push(`${what} [record ${state?.seq ?? 0}, ${state?.status ?? 'no run'}]`);
  }

  // ---------------------------------------------------------- states

  private see(state: RunState): void {
    if (state.runId !== this.state?.runId) for (const of of [this.shown, this.found, this.owned, this.knew]) of.clear();
    else if (state.seq < this.state.seq) this.forget(state);
    this.state = state;
    this.shown.set(state.seq, JSON.stringify(state));
    this.learnLines(state);
    for (const problem of [...transcriptProblems(state), ...stepProblems(state)]) this.blame(problem);
    const receipt = state.receipts.at(-1);
    if (receipt) for (const problem of receiptProblems(receipt, state)) this.blame(`receipt: ${problem}`);
    const control =
      state.status === 'humanControl'
        ? 'human'
        : state.status === 'running' || state.status === 'reconciling'
          ? 'agent'
          : undefined;
    if (!['agent', 'human'].includes(state.control) || (control !== undefined && control !== state.control))
      this.blame(`control is ${state.control}`);
    if (REST.has(state.status)) this.checkRest(state);
    for (const step of state.steps) this.checkTruth(state, step);
  }

  /** What a step says of its effect on files is what happened. */
  private checkTruth(state: RunState, { id, n, outcome, effect, changes }: Step): void {
    // Where a human looked later, the world may have moved on since.
    if (state.decisions.some((d) => d.kind === 'unknownEffect' && d.stepId === id)) return;
    const count = (this.effects.get(`disk ${id}`) ?? 0) + (this.effects.get(`buffer ${id}`) ?? 0);
    if (NOTHING_DONE.has(outcome) && count > 0) this.blame(`step ${n} is ${outcome}, and it had its effect`);
    if (effect === 'committed' && changes.length > 0 && count === 0)
      this.blame(`step ${n} is committed, and it had no effect`);
  }

  /** A crash took the last records, of reads that were not on disk: what they had shown is seen for the first time again. */
  private forget(state: RunState): void {
    const knows = new Map(state.files.map(({ path, known }) => [path, known]));
    for (const [path, known] of this.knew) if (knows.get(path) !== known) this.knew.delete(path);
    const kept = new Set(
      [...this.knew.values()].flatMap((hash) => humanLines(text(this.world.store.peek(hash ?? '')))),
    );
    for (const of of [this.found, this.owned]) for (const line of of) if (!kept.has(line)) of.delete(line);
  }

  /** Whose lines are in what the run knows of each file. */
  private learnLines(state: RunState): void {
    const knew = new Set(this.knew.keys());
    for (const { path, known, knownType } of state.files) {
      if (this.knew.get(path) === known) continue;
      // Named, and its content never looked at: an unsaved file that the human keeps.
      if (known === null && knownType === 'file') continue;
      // What the run moved here it may have seen for the first time in that moment, at its old place.
      const moves = state.steps.flatMap((step) => step.changes.filter((c) => c.path === path && c.after === known));
      const first = !knew.has(moves.at(-1)?.from ?? path);
      this.knew.set(path, known);
      for (const line of known === null ? [] : humanLines(text(this.world.store.peek(known)))) {
        if (first && !this.owned.has(line)) this.found.add(line);
        else if (!this.found.has(line)) this.owned.add(line);
      }
    }
  }

  private checkRest(state: RunState): void {
    for (const { marker, frozen } of this.world.processes.living()) {
      if (!marker.startsWith(`${state.runId}/`)) continue;
      if (state.background.includes(marker) || (marker === state.frozen && frozen)) continue;
      this.blame(`at rest, and alive: ${marker}`);
    }
  }

  // ---------------------------------------------------------- effects

  private disk(changes: readonly DiskChange[]): void {
    const step = this.effectAllowed('disk');
    const after = new Set(changes.flatMap((change) => humanLines(text(change.after))));
    for (const change of changes) {
      const lost = humanLines(text(change.before)).filter((line) => !after.has(line));
      for (const line of lost) this.justify(change.path, line, change.op, step);
      this.checkOnce(change.path, text(change.after));
      if (change.before === null && change.after !== null) this.checkMade(change.path, step);
    }
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
    const step = this.effectAllowed('buffer');
    const kept = new Set(humanLines(after));
    for (const line of humanLines(before)) if (!kept.has(line)) this.justify(path, line, op, step);
    this.checkOnce(path, after);
  }

  private effectAllowed(where: 'disk' | 'buffer'): string | undefined {
    const { state } = this;
    const step = state?.inFlight?.kind === 'step' ? state.inFlight.stepId : undefined;
    if (!state || step === undefined || REST.has(state.status)) {
      this.blame(`an effect on the ${where} with no step in flight`);
      return undefined;
    }
    const key = `${where} ${step}`;
    const count = (this.effects.get(key) ?? 0) + 1;
    this.effects.set(key, count);
    if (count > 1 + (this.repeats.get(step) ?? 0)) this.blame(`step ${step} had its effect ${count} times`);
    return step;
  }

  /**
   * Human lines go only where the human was shown them and said yes; those that were there when the run first saw the file
   * also where its base held them.
   */
  private justify(path: string, line: string, op: string, step: string | undefined): void {
    const { state, world } = this;
    if (!state) return;
    const record = fileOf(state, path);
    const held = (hash: string | null | undefined): boolean =>
      typeof hash === 'string' && text(world.store.peek(hash)).includes(line);
    if (held(record?.base) && this.found.has(line)) return;
    // Without a base the approvals setting alone decides about a deletion.
    if (op === 'remove' && record?.base === undefined) return;
    const showed = (d: Decision): boolean => {
      if (d.kind === 'conflict') return d.state === 'answered' && held(d.change?.before);
      const number =
        text(world.store.peek(d.change?.before ?? ''))
          .split('\n')
          .findIndex((l) => l.includes(line)) + 1;
      return d.state === 'granted' && (d.humanLines ?? []).some(({ from, to }) => from <= number && number <= to);
    };
    const agreed = state.decisions.some((d) => d.stepId === step && showed(d));
    if (!agreed) this.blame(`${op} of ${path} took away ${line}, which the human was not asked about`);
  }

  private checkOnce(path: string, content: string): void {
    const lines: readonly string[] = content.match(LINE) ?? [];
    const twice = lines.filter((line, i) => lines.indexOf(line) !== i);
    if (twice.length > 0) this.blame(`${path} holds twice: ${twice.join(', ')}`);
  }

  // ---------------------------------------------------------- crashes and the end

  /** Right after a crash: what is stored is what was shown, up to what was not durable. */
  checkStored(loaded: RunState | undefined, durable: number): void {
    const { state } = this;
    if (!state) return;
    if (!loaded) {
      if (durable > 0) this.blame('nothing loads after a crash');
      return;
    }
    if (loaded.seq < durable) this.blame(`record ${durable} was durable, ${loaded.seq} is the last that loads`);
    const shown = this.shown.get(loaded.seq);
    if (shown !== undefined && shown !== JSON.stringify(loaded))
      this.blame(`the state of record ${loaded.seq} loads other than it was shown`);
    if (loaded.seq > state.seq) return;
    for (const seq of this.shown.keys()) if (seq > loaded.seq) this.shown.delete(seq);
  }

  /** Each word of the command log stands there once, and once more for each repeat that was asked for. */
  checkLog(): void {
    const words = (this.world.files.text(LOG) ?? '').split('\n').filter((word) => word !== '');
    for (const step of this.state?.steps ?? []) {
      const [, word] = /echo (\S+)/.exec((step.args as { command?: string } | undefined)?.command ?? '') ?? [];
      if (step.tool !== 'run_command' || word === undefined || !NOTHING_DONE.has(step.outcome) || !words.includes(word))
        continue;
      if (!this.repeats.has(step.id)) this.blame(`step ${step.n} is ${step.outcome}, and its command ran`);
    }
    for (const word of new Set(words)) {
      const count = words.filter((w) => w === word).length;
      if (count > 1 + (this.askedAgain.get(word) ?? 0))
        this.blame(`the command that writes ${word} ran ${count} times`);
    }
  }
}

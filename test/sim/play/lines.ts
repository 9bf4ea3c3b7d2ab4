/** Whose lines are whose: what stood in a file when the run first saw it, and what the human wrote since. */
import type { Decision, RunState } from '../../../src/core/run/state';
import { fileOf, stepOf } from '../../../src/core/run/update';
import type { SimWorld } from '../world';
import { humanLines } from './acts';

export const textOf = (bytes: Uint8Array | null | undefined): string => (bytes ? new TextDecoder().decode(bytes) : '');

export class Lines {
  /** Human lines that stood in a file when this run first saw it: they are content like any other. */
  private readonly found = new Set<string>();
  /** Those that came later: gone only after an approval that showed them. */
  private readonly owned = new Set<string>();
  private readonly knew = new Map<string, string | null>();
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly world: SimWorld,
    private readonly blame: (what: string) => void,
  ) {}

  /** Another run: it sees everything for the first time. */
  clear(): void {
    for (const of of [this.found, this.owned, this.knew]) of.clear();
  }

  private stored(hash: string | null | undefined): string {
    if (typeof hash !== 'string') return '';
    let text = this.texts.get(hash);
    if (text === undefined) this.texts.set(hash, (text = textOf(this.world.store.peek(hash))));
    return text;
  }

  /** A crash took the last records, of reads that were not on disk: what they had shown is seen for the first time again. */
  forget(state: RunState): void {
    const knows = new Map(state.files.map(({ path, known }) => [path, known]));
    for (const [path, known] of this.knew) if (knows.get(path) !== known) this.knew.delete(path);
    const kept = new Set([...this.knew.values()].flatMap((hash) => humanLines(this.stored(hash))));
    for (const of of [this.found, this.owned]) for (const line of of) if (!kept.has(line)) of.delete(line);
  }

  /** Whose lines are in what the run knows of each file. */
  learn(state: RunState): void {
    const knew = new Set(this.knew.keys());
    for (const { path, known, knownType } of state.files) {
      if (this.knew.get(path) === known) continue;
      // Named, and its content never looked at: an unsaved file that the human keeps.
      if (known === null && knownType === 'file') continue;
      // What the run moved here it may have seen for the first time in that moment, at its old place.
      const moves = state.steps.flatMap((step) => step.changes.filter((c) => c.path === path && c.after === known));
      const first = !knew.has(moves.at(-1)?.from ?? path);
      this.knew.set(path, known);
      for (const line of humanLines(this.stored(known))) {
        if (first && !this.owned.has(line)) this.found.add(line);
        else if (!this.found.has(line)) this.owned.add(line);
      }
    }
  }

  /**
   * Human lines go only where the human was shown them and said yes; those that were there when the run first saw the file
   * also where its base held them. A whole text that is written over another never takes what its base did not hold, whatever
   * was approved: that is a conflict. What is gone is kept in a copy.
   */
  justify(
    state: RunState,
    gone: { path: string; line: string; op: string; step: string | undefined; hash: string },
  ): void {
    const { path, line, op, step, hash } = gone;
    const record = fileOf(state, path);
    const held = (of: string | null | undefined): boolean => this.stored(of).includes(line);
    if (held(record?.base) && this.found.has(line)) return;
    // A file that is seen for the first time by the very edit, or for the first time again after a crash.
    if (!record && !this.owned.has(line)) return;
    // Without a base the approvals setting alone decides about a deletion.
    if (op === 'remove' && record?.base === undefined) return;
    // It came while a command ran: whether that or the human outside the editor wrote it cannot be known (docs/status.md).
    const commands = state.steps.flatMap((one) => one.changes.filter((c) => c.path === path && c.command === 'only'));
    if (commands.some((c) => held(c.after) && !held(c.before))) return;
    const decisions = state.decisions.filter((d) => d.stepId === step);
    const settled = (d: Decision): boolean => d.kind === 'conflict' && d.state === 'answered' && held(d.change?.before);
    const showed = (d: Decision): boolean => {
      const number =
        this.stored(d.change?.before)
          .split('\n')
          .findIndex((l) => l.includes(line)) + 1;
      return d.state === 'granted' && (d.humanLines ?? []).some(({ from, to }) => from <= number && number <= to);
    };
    const edited = decisions.some((d) => d.state === 'granted' && d.answer?.choice === 'edit');
    const whole = step !== undefined && stepOf(state, step)?.tool === 'write_file';
    if (!decisions.some((d) => settled(d) || showed(d)))
      this.blame(`${op} of ${path} took away ${line}, which the human was not asked about`);
    else if (whole && !edited && !held(record?.base) && !decisions.some(settled))
      this.blame(`a whole text written over ${path} took away ${line}, which its base did not hold`);
    if (this.world.store.peek(hash) === undefined) this.blame(`${line} of ${path} is gone, and there is no copy of it`);
  }
}

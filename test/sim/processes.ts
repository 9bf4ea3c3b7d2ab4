/** Commands as small programs on the simulated disk: they take time, stand still, and die like real ones. */
import type { ProcessExit, Processes, ProcessId, RunningProcess, SpawnOptions } from '../../src/core/ports';
import type { SimClock } from './clock';
import type { SimFiles } from './files';
import type { Random } from './random';
import type { Turns } from './turns';

/** One thing after another: wait, then act. */
export interface ProgramStep {
  ms: number;
  act?(files: SimFiles): void;
  output?: string;
}

export interface Program {
  steps: readonly ProgramStep[];
  code?: number;
  /** Lives on until it is ended. */
  forever?: boolean;
  /** Does not hear TERM: dies when the grace is over. */
  stubborn?: boolean;
  /** What it does when it is asked to end. */
  lastAct?(files: SimFiles): void;
  /** Nothing of ours ends it: it waits in the kernel, or belongs to another user. */
  undying?: boolean;
}

/** What a command line does. Rejected commands throw. */
export type Shell = (command: string) => Program;

/**
 * Knows `echo WORD >> FILE` and `> FILE`, `sleep MS`, `exit N`, `serve` (never ends), `stubborn` (nor hears TERM) and `undying`,
 * joined by `;`, and first `trap echo …` for when it is asked to end. Anything else exits with 127.
 */
export const plainShell: Shell = (command) => {
  const [, last, rest] = /^trap (echo [^;]*);(.*)$/.exec(command) ?? [];
  if (last === undefined || rest === undefined) return plainProgram(command);
  const [first] = plainProgram(last).steps;
  return { ...plainProgram(rest), lastAct: (files) => first?.act?.(files) };
};

function plainProgram(command: string): Program {
  const steps: ProgramStep[] = [];
  let wait = 0;
  for (const part of command.split(';').map((p) => p.trim())) {
    const echo = /^echo (\S+) (>>?) (\S+)$/.exec(part);
    const sleep = /^sleep (\d+)$/.exec(part);
    const exit = /^exit (\d+)$/.exec(part);
    if (echo) {
      const [, word = '', how = '', file = ''] = echo;
      steps.push({
        ms: wait,
        act: (files) => files.put(file, `${how === '>' ? '' : (files.text(file) ?? '')}${word}\n`),
      });
      wait = 0;
    } else if (sleep) wait += Number(sleep[1]);
    else if (exit) return { steps: [...steps, { ms: wait }], code: Number(exit[1]) };
    else if (part === 'serve' || part === 'stubborn' || part === 'undying')
      return { steps, forever: true, stubborn: part === 'stubborn', undying: part === 'undying' };
    else return { steps: [...steps, { ms: wait, output: `${part}: not found\n` }], code: 127 };
  }
  return { steps: [...steps, { ms: wait }] };
}

class SimProcess {
  state: 'running' | 'frozen' | 'ended' = 'running';
  readonly exited: Promise<ProcessExit>;
  private finish: (exit: ProcessExit) => void = () => undefined;
  private next = 0;
  /** A step has come due while it stood still. */
  private due = false;

  constructor(
    readonly id: ProcessId,
    readonly marker: string,
    private readonly program: Program,
    private readonly world: { turns: Turns; clock: SimClock; files: SimFiles },
    private onOutput: (chunk: string) => void,
  ) {
    this.exited = new Promise((resolve) => (this.finish = resolve));
    this.schedule();
  }

  freeze(): void {
    if (this.state === 'running') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    if (this.due) this.work();
  }

  kill(signal: string): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.leave({ code: null, signal });
  }

  /** Its host is dead: nobody hears of it any more. */
  orphan(): void {
    this.finish = () => undefined;
    this.onOutput = () => undefined;
  }

  /** Does what it would do next, whether its time has come or not. */
  work(): void {
    this.due = false;
    const step = this.program.steps[this.next];
    if (this.state !== 'running' || !step) return;
    this.next += 1;
    step.act?.(this.world.files);
    if (step.output !== undefined) this.onOutput(step.output);
    this.schedule();
  }

  private schedule(): void {
    const step = this.program.steps[this.next];
    if (step) {
      this.world.clock.after(step.ms, () => {
        if (this.state === 'running') this.work();
        else this.due = true;
      });
    } else if (!this.program.forever) {
      this.state = 'ended';
      this.leave({ code: this.program.code ?? 0, signal: null });
    }
  }

  leave(exit: ProcessExit): void {
    void this.world.turns.take().then(() => this.finish(exit));
  }
}

export class SimProcesses implements Processes {
  readonly shell = 'a simulated shell';
  canFreeze = true;
  /** Called in the moment one begins. */
  onSpawn: ((marker: string, command: string) => void) | undefined;
  /** What commands say of those that left them. */
  looseOnes: ProcessId[] = [];
  suspected: ProcessId[] = [];
  private readonly all: SimProcess[] = [];

  constructor(
    private readonly world: { turns: Turns; clock: SimClock; files: SimFiles },
    private readonly random: Random,
    private readonly run: Shell = plainShell,
  ) {}

  /** All that live now, frozen ones too. */
  living(): { marker: string; id: ProcessId; frozen: boolean }[] {
    return this.all
      .filter((p) => p.state !== 'ended')
      .map(({ marker, id, state }) => ({ marker, id, frozen: state === 'frozen' }));
  }

  /** Something outside kills it: the system when memory is short, or the human. */
  killFromOutside(marker: string): void {
    for (const p of this.all) if (p.marker === marker) p.kill('SIGKILL');
  }

  /** Its shell ends, and what it had started lives on. */
  leaveBehind(marker: string): void {
    for (const p of this.all) if (p.marker === marker) p.leave({ code: 0, signal: null });
  }

  /** The host dies: the watcher ends what it ran, perhaps a moment too late, perhaps not at all. */
  crash(): void {
    for (const p of this.all) {
      p.orphan();
      const luck = this.random.below(3);
      if (luck === 1) p.work();
      if (luck < 2) p.kill('SIGKILL');
    }
  }

  async spawn(options: SpawnOptions): Promise<RunningProcess> {
    const { command, marker } = options;
    await this.world.turns.take();
    const program = this.run(command);
    const id: ProcessId = { pid: 1000 + this.all.length, startTime: String(this.world.clock.now()), command };
    this.onSpawn?.(marker, command);
    const process = new SimProcess(id, marker, program, this.world, (chunk) => options.onOutput(chunk));
    this.all.push(process);
    await this.world.turns.take();
    return {
      id,
      exited: process.exited,
      canFreeze: this.canFreeze,
      freeze: async () => {
        await this.world.turns.take();
        if (program.undying) return false;
        process.freeze();
        return process.state === 'frozen';
      },
      thaw: async () => {
        await this.world.turns.take();
        process.thaw();
      },
      end: async (graceMs) => {
        await this.world.turns.take();
        if (program.undying) return [id];
        if (graceMs > 0 && process.state !== 'ended') {
          process.thaw();
          program.lastAct?.(this.world.files);
        }
        if (!program.stubborn) process.kill('SIGTERM');
        else await new Promise<void>((resolve) => this.world.clock.after(graceMs, () => resolve()));
        process.kill('SIGKILL');
        // Looked for once more: others may hear of its end before.
        await this.world.turns.take();
        return [];
      },
      alive: () => Promise.resolve(process.state === 'ended' ? [] : [id]),
      loose: () => this.looseOnes,
      suspects: () => Promise.resolve(this.suspected),
    };
  }

  async find(id: ProcessId, marker: string): Promise<ProcessId[]> {
    await this.world.turns.take();
    return this.matching(id, marker).map((p) => p.id);
  }

  async endFound(id: ProcessId, marker: string): Promise<ProcessId[]> {
    await this.world.turns.take();
    for (const p of this.matching(id, marker)) p.kill('SIGKILL');
    return [];
  }

  private matching(id: ProcessId, marker: string): SimProcess[] {
    return this.all.filter((p) => p.state !== 'ended' && (p.marker === marker || p.id.pid === id.pid));
  }
}

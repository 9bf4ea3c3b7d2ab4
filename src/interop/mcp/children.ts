/**
 * The programs that one connection has started. Whatever made it let go of one, that one is ended with all it started, and the
 * run is told; it counts as there until it is dead or named as a survivor.
 */
import type { ProcessId } from '../../core/ports';
import type { RunningProgram } from '../../core/programs';

interface Child {
  program: RunningProgram;
  ending?: Promise<void>;
  /** Asked for by `end`, which answers with its survivors. */
  asked: boolean;
}

export class Children {
  private readonly all = new Set<Child>();

  /** `told`: of each that was let go, once. Not of those that `end` answers for. */
  constructor(
    private readonly graceMs: () => number,
    private readonly told: (program: RunningProgram, survivors: ProcessId[]) => void,
  ) {}

  add(program: RunningProgram): void {
    this.all.add({ program, asked: false });
  }

  /** Ends all there are, each once; settles when each is dead or named. Never rejects. */
  async letGo(): Promise<void> {
    await Promise.all([...this.all].map((child) => (child.ending ??= this.endOne(child))));
  }

  private async endOne(child: Child): Promise<void> {
    const survivors = await ended(child.program, this.graceMs());
    this.all.delete(child);
    if (!child.asked) this.told(child.program, survivors);
  }

  /**
   * For good, also of what is being ended already: answers with the survivors that nobody was told of. Called again while it
   * waits, it waits no longer than is said then.
   */
  async end(graceMs: number): Promise<ProcessId[]> {
    const ends = [...this.all].map(async (child) => {
      child.asked = true;
      const survivors = await ended(child.program, graceMs);
      this.all.delete(child);
      return survivors;
    });
    return (await Promise.all(ends)).flat();
  }
}

/** One that cannot even be looked for is not known to be dead. */
const ended = (program: RunningProgram, graceMs: number): Promise<ProcessId[]> =>
  program.end(graceMs).catch(() => [program.id]);

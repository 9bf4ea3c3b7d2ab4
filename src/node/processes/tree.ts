/** A command and everything it started: found by parent links, process group and marker; stopped, continued, ended. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessId } from '../../core/ports';
import { carriesMarker, commandOf, isDead, isStopped, processRow, processTable, type Row } from './table';

/** How long a freeze may take before it is called failed. */
const FREEZE_MS = 2000;
/** How long after the last KILL something may still show before it is called a survivor. */
const KILL_MS = 5000;

export class ProcessTree {
  /** pid → start time of all that was ever seen in the tree: one that changed parent, group and environment stays in. */
  private readonly known = new Map<number, string>();

  /** pid → start time of those known not to carry the marker. */
  private readonly unmarked = new Map<number, string>();

  constructor(
    private readonly root: ProcessId,
    private readonly marker: string,
    /**
     * true: the group was made by this process, so whatever is in it is ours. false (a record of an earlier session): the
     * number may have been given away since, so a member has to prove it.
     */
    private readonly ownGroup: boolean,
    /** Pids that are never part of it: the watchers. */
    private readonly except: () => ReadonlySet<number>,
  ) {}

  /** Those that live now. */
  members(): Row[] {
    const table = this.candidates();
    const found = new Set<number>();
    for (const row of table.values()) {
      const seen = this.known.get(row.pid) === row.startTime;
      if (seen || this.isRoot(row) || this.isMarked(row)) found.add(row.pid);
    }
    if (this.groupIsOurs(table, found)) {
      for (const row of table.values()) if (row.group === this.root.pid) found.add(row.pid);
    }
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const row of table.values()) if (found.has(row.parent)) found.add(row.pid);
    }
    const members: Row[] = [];
    for (const pid of found) {
      const row = table.get(pid);
      if (row === undefined) continue;
      this.known.set(pid, row.startTime);
      if (!isDead(row)) members.push(row);
    }
    return members;
  }

  alive(): ProcessId[] {
    return this.members().map((row) => ({ pid: row.pid, startTime: row.startTime, command: commandOf(row) }));
  }

  /**
   * SIGSTOP until two looks in a row find the same processes, all stopped. false when that does not come about: then
   * all of it runs on.
   */
  async freeze(): Promise<boolean> {
    const end = performance.now() + FREEZE_MS;
    let before = '';
    // the group at once, before the first look
    const leader = processRow(this.root.pid);
    if (leader !== undefined && this.isRoot(leader)) send(-this.root.pid, 'SIGSTOP');
    while (performance.now() < end) {
      const members = this.members();
      const moving = members.filter((row) => !isStopped(row));
      const now = members.map((row) => row.pid).join();
      if (moving.length === 0 && now === before) return true;
      before = moving.length === 0 ? now : '';
      this.signal(moving, 'SIGSTOP');
      await delay(1);
    }
    this.thaw();
    return false;
  }

  thaw(): void {
    this.signal(this.members(), 'SIGCONT');
  }

  /** TERM (and CONT: a stopped process cannot react), at most `graceMs`, then KILL until none lives. The survivors. */
  async end(graceMs: number): Promise<ProcessId[]> {
    const members = this.members();
    if (members.length === 0) return [];
    if (graceMs > 0) {
      this.signal(members, 'SIGTERM');
      this.signal(members, 'SIGCONT');
      if (await this.gone(graceMs, () => undefined)) return [];
    }
    await this.gone(KILL_MS, (living) => this.signal(living, 'SIGKILL'));
    return this.alive();
  }

  /** Two looks in a row found nobody: one could miss what forks just then. `each` acts on those that live. */
  private async gone(ms: number, each: (living: Row[]) => void): Promise<boolean> {
    const end = performance.now() + ms;
    let clean = 0;
    for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
      const living = this.members();
      clean = living.length === 0 ? clean + 1 : 0;
      if (clean === 2) return true;
      each(living);
      if (performance.now() >= end) return false;
      await delay(clean > 0 ? 1 : pause);
    }
  }

  private signal(members: readonly Row[], signal: NodeJS.Signals): void {
    // the group first, in one call: nobody in it forks in between
    if (members.some((row) => row.group === this.root.pid)) send(-this.root.pid, signal);
    for (const row of members) if (row.group !== this.root.pid || signal === 'SIGKILL') send(row.pid, signal);
  }

  /** All but ourselves, our own group, the system's first process and the watchers, whatever a record says. */
  private candidates(): Map<number, Row> {
    const table = processTable();
    const own = table.get(process.pid)?.group;
    const except = this.except();
    for (const [pid, row] of table) if (pid <= 1 || row.group === own || except.has(pid)) table.delete(pid);
    return table;
  }

  private isRoot(row: Row): boolean {
    return row.pid === this.root.pid && row.startTime === this.root.startTime;
  }

  /** Each process is asked once: none gets the marker later, and reading the environment is the dear part of a look. */
  private isMarked(row: Row): boolean {
    if (this.unmarked.get(row.pid) === row.startTime || isDead(row)) return false;
    const marked = carriesMarker(row.pid, this.marker);
    if (marked === false) this.unmarked.set(row.pid, row.startTime);
    return marked === true;
  }

  private groupIsOurs(table: ReadonlyMap<number, Row>, found: ReadonlySet<number>): boolean {
    const leader = table.get(this.root.pid);
    if (this.root.pid <= 1) return false;
    if (leader !== undefined) return this.isRoot(leader); // not ours: the number belongs to another process by now
    if (this.ownGroup) return true;
    return [...table.values()].some((row) => row.group === this.root.pid && found.has(row.pid));
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone meanwhile, or not ours to signal: the next look tells
  }
}

/** A command and everything it started: found by parent links, process group and marker; stopped, continued, ended. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessId } from '../../core/ports';
import {
  canFollow,
  childrenOf,
  commandOf,
  folderOf,
  hasEnvironments,
  isDead,
  isKernelThread,
  isStopped,
  markersOf,
  processRow,
  processTable,
  type Row,
} from './table';

/** How long a freeze may take before it is called failed. */
const FREEZE_MS = 2000;
/** How long after the last KILL something may still show before it is called a survivor. */
const KILL_MS = 5000;

/** For how long it is believed that a process which is not of the tree keeps its number, ms. */
const FOREIGN_MS = 500;

/** How long it is looked for somebody at most where nobody shows and not all can be asked, ms. */
const LOOK_MS = 250;

export class ProcessTree {
  /** pid → start time of all that was ever seen in the tree: one that changed parent, group and environment stays in. */
  private readonly known = new Map<number, string>();

  /** pid → start time of those known not to carry the marker. */
  private readonly unmarked = new Map<number, string>();

  /** The last look could ask everybody: nobody was gone, or in the middle of an exec, when its turn came. */
  private sure = true;

  /** Those not of the tree when last looked at: not looked at again for a moment, numbers are not given away that fast. */
  private foreign = new Set<number>();
  private foreignSince = -Infinity;

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

  /** Those that live now. `whole`: each process is read anew. */
  members(whole = false): Row[] {
    const table = this.candidates(whole);
    const found = new Set<number>();
    const asked: number[] = [];
    for (const row of table.values()) {
      if (this.isKnown(row)) found.add(row.pid);
      else if (!this.isUnmarked(row) && !isDead(row) && !isKernelThread(row)) asked.push(row.pid);
    }
    this.sure = true;
    // each is asked once: none gets the marker later, and reading the environment is the dear part of a look
    for (const [pid, values] of markersOf(asked)) {
      const row = table.get(pid);
      if (values?.includes(this.marker)) found.add(pid);
      else if (row && (values || !hasEnvironments)) this.unmarked.set(pid, row.startTime);
      else this.sure = false;
    }
    if (this.groupIsOurs(table, found)) {
      for (const row of table.values()) if (row.group === this.root.pid) found.add(row.pid);
    }
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const row of table.values()) if (found.has(row.parent)) found.add(row.pid);
    }
    for (const row of table.values()) if (!found.has(row.pid) && this.isUnmarked(row)) this.foreign.add(row.pid);
    const members: Row[] = [];
    for (const pid of found) {
      const row = table.get(pid);
      if (row === undefined) continue;
      this.known.set(pid, row.startTime);
      if (!isDead(row)) members.push(row);
    }
    return members;
  }

  /**
   * Follows the links from those known to their children, so that one is known before it leaves parent, group and
   * environment behind. Costs as much as the tree is large, not as the system.
   */
  follow(): void {
    if (!canFollow) {
      this.members();
      return;
    }
    const queue = [...new Set([this.root.pid, ...this.known.keys()])];
    for (const pid of queue) {
      const row = processRow(pid);
      if (row === undefined || !this.isKnown(row)) this.known.delete(pid);
      if (row === undefined || isDead(row) || !this.isKnown(row)) continue;
      for (const child of childrenOf(pid)) {
        const born = this.known.has(child) ? undefined : processRow(child);
        if (born?.parent !== pid) continue;
        this.known.set(child, born.startTime);
        queue.push(child);
      }
    }
  }

  /** Of those known: the living that neither group nor marker would tell any more. */
  loose(): ProcessId[] {
    const rows = [...this.known.keys()].map((pid) => processRow(pid)).filter((row) => row !== undefined);
    const away = rows.filter((row) => this.isKnown(row) && !isDead(row) && row.group !== this.root.pid);
    const markers = markersOf(away.map((row) => row.pid));
    return away.filter((row) => markers.get(row.pid)?.includes(this.marker) === false).map(idOf);
  }

  /**
   * Not of the tree as far as is known, and yet: younger than the command, left by its parent to the system, without any
   * mark, in no session of the host, and at work in the command's `folder`.
   */
  suspects(folder: string): ProcessId[] {
    const members = new Set(this.members().map((row) => row.pid));
    const table = processTable();
    const host = table.get(process.pid);
    const reapers = new Set([1]);
    for (let at = host; at && !reapers.has(at.parent); at = table.get(at.parent)) reapers.add(at.parent);
    const left = [...table.values()].filter(
      (row) =>
        !members.has(row.pid) &&
        !isDead(row) &&
        reapers.has(row.parent) &&
        row.session !== host?.session &&
        this.isYounger(row) &&
        !this.except().has(row.pid),
    );
    const markers = markersOf(left.map((row) => row.pid));
    return left
      .filter(({ pid }) => markers.get(pid)?.length === 0 && isInside(folderOf(pid), folder))
      .map((row) => ({ ...idOf(row), unsure: true }));
  }

  /** At one look: what forks just then may be missed. */
  alive(): ProcessId[] {
    return this.members().map(idOf);
  }

  /** Looked for until somebody is found, or nobody for certain. */
  async living(): Promise<ProcessId[]> {
    let found: Row[] = [];
    await this.gone(LOOK_MS, (living) => {
      found = living;
      return living.length > 0;
    });
    return found.map(idOf);
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
      if (moving.length === 0 && this.sure && now === before) return true;
      before = moving.length === 0 && this.sure ? now : '';
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
    const asked = new Set<string>();
    const ask = (living: Row[]): void => {
      // Each once, also those that are born meanwhile; the first time the group, in one call.
      const fresh = living.filter(({ pid, startTime }) => !asked.has(`${pid} ${startTime}`));
      for (const signal of ['SIGTERM', 'SIGCONT'] as const) {
        if (asked.size === 0) this.signal(fresh, signal);
        else for (const { pid } of fresh) send(pid, signal);
      }
      for (const { pid, startTime } of fresh) asked.add(`${pid} ${startTime}`);
    };
    if (graceMs > 0 && (await this.gone(graceMs, ask))) return [];
    await this.gone(KILL_MS, (living) => this.signal(living, 'SIGKILL'));
    return this.alive();
  }

  /**
   * Two looks in a row found nobody, and could ask everybody: one could miss what forks just then. `each` acts on those that
   * live; true ends the looking.
   */
  private async gone(ms: number, each: (living: Row[]) => boolean | void): Promise<boolean> {
    const end = performance.now() + ms;
    let clean = 0;
    for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
      // the look that proves it reads each anew
      const living = this.members(clean > 0);
      clean = living.length === 0 && this.sure ? clean + 1 : 0;
      if (clean === 2) return true;
      if (each(living) === true) return false;
      if (performance.now() >= end) return false;
      await delay(living.length === 0 ? 1 : pause);
    }
  }

  private signal(members: readonly Row[], signal: NodeJS.Signals): void {
    // the group first, in one call: nobody in it forks in between
    if (members.some((row) => row.group === this.root.pid)) send(-this.root.pid, signal);
    for (const row of members) if (row.group !== this.root.pid || signal === 'SIGKILL') send(row.pid, signal);
  }

  /** All but ourselves, our own group, the system's first process and the watchers, whatever a record says. */
  private candidates(whole: boolean): Map<number, Row> {
    const now = performance.now();
    if (whole || now - this.foreignSince > FOREIGN_MS) {
      this.foreign = new Set();
      this.foreignSince = now;
    }
    const table = processTable(this.foreign);
    const except = this.except();
    for (const [pid, row] of table) {
      if (pid > 1 && row.group !== hostGroup() && !except.has(pid)) continue;
      table.delete(pid);
      this.foreign.add(pid);
    }
    return table;
  }

  private isKnown(row: Row): boolean {
    return this.isRoot(row) || this.known.get(row.pid) === row.startTime;
  }

  private isRoot(row: Row): boolean {
    return row.pid === this.root.pid && row.startTime === this.root.startTime;
  }

  /** Certain: it was asked, or it is older than the command. */
  private isUnmarked(row: Row): boolean {
    return this.unmarked.get(row.pid) === row.startTime || Number(row.startTime) < Number(this.root.startTime || NaN);
  }

  /** In ticks of the system, which Linux alone tells. */
  private isYounger(row: Row): boolean {
    return Number(row.startTime) >= Number(this.root.startTime || NaN);
  }

  private groupIsOurs(table: ReadonlyMap<number, Row>, found: ReadonlySet<number>): boolean {
    const leader = table.get(this.root.pid);
    if (this.root.pid <= 1) return false;
    if (leader !== undefined) return this.isRoot(leader); // not ours: the number belongs to another process by now
    if (this.ownGroup) return true;
    return [...table.values()].some((row) => row.group === this.root.pid && found.has(row.pid));
  }
}

const idOf = (row: Row): ProcessId => ({ pid: row.pid, startTime: row.startTime, command: commandOf(row) });

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

let ownGroup: number | undefined;
/** Group of this process; it never changes. */
const hostGroup = (): number | undefined => (ownGroup ??= processRow(process.pid)?.group);

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone meanwhile, or not ours to signal: the next look tells
  }
}

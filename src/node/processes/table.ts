/** All processes of the system at one moment: from `/proc` on Linux, from `ps` elsewhere. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { constants } from 'node:os';

export interface Row {
  pid: number;
  parent: number;
  group: number;
  /** Session; 0 where the system does not tell. */
  session: number;
  /** First letter of the state: R, S, D, T (stopped), t (traced), Z (dead, not collected) … */
  state: string;
  /** Start time in the system's own unit, as text: with the pid it names a process for good. */
  startTime: string;
  command: string;
}

/** Name of the environment variable that marks everything one command started. */
export const MARKER = 'HOLDFAST_RUN';

const SIGSTOP_BIT = 1n << BigInt(constants.signals.SIGSTOP - 1);
const hasProc = process.platform === 'linux';
/** What is not told of an environment may be told later (in the middle of an exec); elsewhere it never is. */
export const hasEnvironments = hasProc;

/**
 * The living and the dead not yet collected, by pid, without those of `skip` (where leaving out saves work). Blocks for some
 * milliseconds: a scan must not be outrun by forks.
 */
export function processTable(skip?: ReadonlySet<number>): Map<number, Row> {
  const rows = new Map<number, Row>();
  for (const row of hasProc ? procRows(skip) : psRows()) rows.set(row.pid, row);
  return rows;
}

/** One process, or undefined when there is none. */
export function processRow(pid: number): Row | undefined {
  return hasProc ? procRow(pid) : psRows(pid)[0];
}

/** Of the system itself: it has neither arguments nor environment, ever. */
export function isKernelThread(row: Row): boolean {
  return hasProc && row.group === 0 && (row.pid === 2 || row.parent === 2);
}

export function isDead(row: Row): boolean {
  return row.state === 'Z' || row.state === 'X' || row.state === 'x';
}

/**
 * Stopped, or in the kernel with the stop already delivered: it runs no code of its own any more. (A shell that has
 * called `vfork` stays so for as long as its child is stopped.)
 */
export function isStopped(row: Row): boolean {
  if (row.state === 'T' || row.state === 't') return true;
  return row.state === 'D' && hasProc && stopPending(row.pid);
}

/** Whether parents list their children, so that a tree can be followed without a look at all processes. */
export const canFollow = hasProc && existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

/** Pids of the children of a process, of all its threads. */
export function childrenOf(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  const lists = threads.map((thread) => readText(`/proc/${pid}/task/${thread}/children`));
  return lists.flatMap((list) => list.split(' ').filter((word) => word !== '')).map(Number);
}

/**
 * The values of our marker in the environments of these processes; undefined for one of which the system does not tell (or
 * not just now).
 */
export function markersOf(pids: readonly number[]): Map<number, string[] | undefined> {
  if (hasProc) return new Map(pids.map((pid) => [pid, procMarkers(pid)]));
  const found = process.platform === 'darwin' && pids.length > 0 ? psEnvironments(pids) : new Map<number, string[]>();
  return new Map(
    pids.map((pid) => {
      const entries = found.get(pid) ?? [];
      return [pid, entries.length > 0 ? valuesIn(entries) : undefined];
    }),
  );
}

function procMarkers(pid: number): string[] | undefined {
  const environ = readText(`/proc/${pid}/environ`);
  if (environ !== '') return valuesIn(environ.split('\0'));
  // Empty, or in the middle of an exec: then its arguments are not there yet either.
  if (readText(`/proc/${pid}/cmdline`) === '') return undefined;
  return valuesIn(readText(`/proc/${pid}/environ`).split('\0'));
}

const valuesIn = (entries: readonly string[]): string[] =>
  entries.filter((entry) => entry.startsWith(`${MARKER}=`)).map((entry) => entry.slice(MARKER.length + 1));

/** Whether the process was started with our marker; undefined where the system does not tell (or not just now). */
export const carriesMarker = (pid: number, marker: string): boolean | undefined =>
  markersOf([pid]).get(pid)?.includes(marker);

/** Folder a process works in; '' where the system does not tell. */
export function folderOf(pid: number): string {
  try {
    return hasProc ? readlinkSync(`/proc/${pid}/cwd`) : '';
  } catch {
    return '';
  }
}

function stopPending(pid: number): boolean {
  const masks = [...readText(`/proc/${pid}/status`).matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)];
  return masks.some(([, mask]) => (BigInt(`0x${mask ?? '0'}`) & SIGSTOP_BIT) !== 0n);
}

/** The command line as it shows now, for the human. */
export function commandOf(row: Row): string {
  if (!hasProc) return row.command;
  const words = readText(`/proc/${row.pid}/cmdline`).split('\0').join(' ').trim();
  return words === '' ? row.command : words;
}

/** On a system that never rests a look ends all the same. */
const MAX_LISTINGS = 8;

/**
 * Listed again until nobody new has come: what was born during the look, by one that was gone when its turn came, is in it
 * all the same.
 */
function procRows(skip?: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  const seen = new Set<string>();
  for (let listing = 0; listing < MAX_LISTINGS; listing += 1) {
    const before = seen.size;
    for (const name of readdirSync('/proc')) {
      if (seen.has(name)) continue;
      seen.add(name);
      const pid = Number(name);
      const row = Number.isInteger(pid) && skip?.has(pid) !== true ? procRow(pid) : undefined;
      if (row !== undefined) rows.push(row);
    }
    if (seen.size === before) break;
  }
  return rows;
}

function procRow(pid: number): Row | undefined {
  const text = readStart(`/proc/${pid}/stat`);
  // the program's name stands in brackets and may itself hold brackets and spaces
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startTime = fields[19]; // field 22 of proc(5)
  if (close === -1 || state === undefined || startTime === undefined) return undefined;
  const command = text.slice(text.indexOf('(') + 1, close);
  const numbers = { pid, parent: Number(parent), group: Number(group), session: Number(session) };
  return { ...numbers, state, startTime, command };
}

function psRows(pid?: number): Row[] {
  const columns = 'pid=,ppid=,pgid=,state=,lstart=,command=';
  return psTable(ps(...(pid === undefined ? ['-ax'] : ['-p', String(pid)]), '-o', columns));
}

/** Rows of what `ps -o pid=,ppid=,pgid=,state=,lstart=,command=` prints. */
export function psTable(text: string): Row[] {
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s*(.*)$/;
  return text.split('\n').flatMap((row) => {
    const [, id, parent, group, state, startTime, command] = line.exec(row) ?? [];
    if (state === undefined || startTime === undefined || command === undefined) return [];
    const numbers = { pid: Number(id), parent: Number(parent), group: Number(group), session: 0 };
    return [{ ...numbers, state: state.charAt(0), startTime, command }];
  });
}

/**
 * macOS prints the environment after the command (ps(1), -E): of own processes, of some system programs never. One call for
 * all of them.
 */
const psEnvironments = (pids: readonly number[]): Map<number, string[]> =>
  psVariables(ps('-E', '-ww', '-p', pids.join(','), '-o', 'pid=,command='));

/** What looks like a variable in each line of `ps -E -o pid=,command=`, split at spaces: our marker holds none. */
export function psVariables(text: string): Map<number, string[]> {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(lines.map(([pid, ...words]) => [Number(pid), words.filter((word) => /^[A-Za-z_]\w*=/.test(word))]));
}

const ps = (...args: string[]): string =>
  spawnSync('/bin/ps', args, { encoding: 'utf8', env: { LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 }).stdout ?? '';

const start = Buffer.alloc(1024);

/** The first kilobyte, with the fewest calls: a look reads hundreds of these files. '' for what has gone. */
function readStart(file: string): string {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    return start.toString('utf8', 0, readSync(handle, start));
  } catch {
    return '';
  } finally {
    closeSync(handle);
  }
}

/** '' for what has gone or belongs to somebody else. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

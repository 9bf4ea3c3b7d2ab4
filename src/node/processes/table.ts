/** All processes of the system at one moment: from `/proc` on Linux, from `ps` elsewhere. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { constants } from 'node:os';

export interface Row {
  pid: number;
  parent: number;
  group: number;
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

/** The living and the dead not yet collected, by pid. Blocks for some milliseconds: a scan must not be outrun by forks. */
export function processTable(): Map<number, Row> {
  const rows = new Map<number, Row>();
  for (const row of hasProc ? procRows() : psRows()) rows.set(row.pid, row);
  return rows;
}

/** One process, or undefined when there is none. */
export function processRow(pid: number): Row | undefined {
  return hasProc ? procRow(pid) : psRows(pid)[0];
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

/** Whether the process was started with our marker; undefined where the system does not tell (or not just now). */
export function carriesMarker(pid: number, marker: string): boolean | undefined {
  const environ = hasProc ? readText(`/proc/${pid}/environ`) : '';
  return environ === '' ? undefined : environ.split('\0').includes(`${MARKER}=${marker}`);
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

function procRows(): Row[] {
  const rows: Row[] = [];
  for (const name of readdirSync('/proc')) {
    const row = /^\d+$/.test(name) ? procRow(Number(name)) : undefined;
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function procRow(pid: number): Row | undefined {
  const text = readStart(`/proc/${pid}/stat`);
  // the program's name stands in brackets and may itself hold brackets and spaces
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19]; // field 22 of proc(5)
  if (close === -1 || state === undefined || startTime === undefined) return undefined;
  const command = text.slice(text.indexOf('(') + 1, close);
  return { pid, parent: Number(parent), group: Number(group), state, startTime, command };
}

function psRows(pid?: number): Row[] {
  const columns = 'pid=,ppid=,pgid=,state=,lstart=,command=';
  const which = pid === undefined ? ['-ax'] : ['-p', String(pid)];
  const { stdout } = spawnSync('/bin/ps', [...which, '-o', columns], {
    encoding: 'utf8',
    env: { LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  });
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s*(.*)$/;
  return (stdout ?? '').split('\n').flatMap((text) => {
    const [, id, parent, group, state, startTime, command] = line.exec(text) ?? [];
    if (state === undefined || startTime === undefined || command === undefined) return [];
    return [
      { pid: Number(id), parent: Number(parent), group: Number(group), state: state.charAt(0), startTime, command },
    ];
  });
}

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

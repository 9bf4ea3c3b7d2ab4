/** Living processes that a run started: found by the marker they inherit, or as descendants of the host. Linux (/proc). */
import fs from 'node:fs';
import type { RunState } from '../../src/core/run/state';

export interface Living {
  pid: number;
  parent: number;
  /** Value of HOLDFAST_RUN, where it has one. */
  marker: string | undefined;
  command: string;
}

interface Search {
  runIds: readonly string[];
  /** Pid of the host; its descendants count too. */
  root: number | undefined;
  /** An environment entry (`NAME=value`) that also tells that a process belongs to the scenario. */
  mark: string | undefined;
}

/** Zombies do not live; the host itself does not count. */
export function livingProcesses({ runIds, root, mark }: Search): Living[] {
  const all = new Map<number, Process>();
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    const found = Number.isInteger(pid) ? look(pid) : undefined;
    if (found) all.set(pid, found);
  }
  const descends = (process: Process): boolean => {
    for (let at: Process | undefined = process, depth = 0; at && depth < 100; at = all.get(at.parent), depth++)
      if (at.parent === root) return true;
    return false;
  };
  const ours = ({ marker }: Pick<Living, 'marker'>): boolean =>
    marker !== undefined && runIds.some((id) => marker.startsWith(id));
  const found = [...all.values()]
    .filter((p) => p.pid !== root)
    .filter(
      (p) => ours(p) || (root !== undefined && descends(p)) || (mark !== undefined && p.environment.includes(mark)),
    )
    .map(({ pid, parent, marker }) => ({ pid, parent, marker, command: commandOf(pid) }));
  // the watcher that the host keeps beside a living command is not the run's; one without a command to watch is a leak
  const watched = found.some(ours);
  return found.filter((p) => !(watched && p.marker === undefined && WATCHER.test(p.command)));
}

/** Name under which the host starts it. */
const WATCHER = /\sholdfast-watcher\s/;

interface Process extends Omit<Living, 'command'> {
  environment: string[];
}

/** Flag of the kernel's own threads, half of what is there; their files tell nothing and are slow to read. */
const KERNEL_THREAD = 0x20_0000;

function look(pid: number): Process | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // the second field is the program's name in brackets and may hold anything, brackets too
    const [state, parent, , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X' || Number(flags) & KERNEL_THREAD) return undefined;
    const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const marker = environment.find((entry) => entry.startsWith('HOLDFAST_RUN='))?.slice('HOLDFAST_RUN='.length);
    return { pid, parent: Number(parent), marker, environment };
  } catch {
    return undefined; // ended meanwhile, or of another user
  }
}

/** Empty when it has ended meanwhile. */
function commandOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '';
  }
}

/**
 * Those that no text of the state names: a process is named when the step it belongs to is shown as running, frozen or in
 * the background, or when the last receipt's message holds its pid.
 */
export function unnamed(living: readonly Living[], state: RunState): Living[] {
  const shown = state.steps.filter(
    (s) => s.process && (s.outcome === 'running' || s.process.background || s.id === state.frozen),
  );
  const message = state.receipts.at(-1)?.message ?? '';
  return living.filter(({ pid, marker }) => {
    if (new RegExp(`\\b${pid}\\b`).test(message)) return false;
    return !shown.some((s) => s.process && (s.process.id.pid === pid || s.process.marker === marker));
  });
}

export const showLiving = (living: readonly Living[]): string =>
  living.map(({ pid, command }) => `${pid} (${command.slice(0, 80)})`).join(', ');

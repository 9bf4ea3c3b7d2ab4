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
  const all = new Map<number, Living & { environment: string[] }>();
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    const found = Number.isInteger(pid) ? look(pid) : undefined;
    if (found) all.set(pid, found);
  }
  const descends = (process: Living): boolean => {
    for (let at: Living | undefined = process, depth = 0; at && depth < 100; at = all.get(at.parent), depth++)
      if (at.parent === root) return true;
    return false;
  };
  const ours = ({ marker }: Living): boolean => marker !== undefined && runIds.some((id) => marker.startsWith(id));
  const found = [...all.values()]
    .filter((p) => p.pid !== root)
    .filter(
      (p) => ours(p) || (root !== undefined && descends(p)) || (mark !== undefined && p.environment.includes(mark)),
    );
  // the watcher that the host keeps beside a living command is not the run's; one without a command to watch is a leak
  const watched = found.some(ours);
  return found
    .filter((p) => !(watched && p.marker === undefined && WATCHER.test(p.command)))
    .map(({ pid, parent, marker, command }) => ({ pid, parent, marker, command }));
}

/** Name under which the host starts it. */
const WATCHER = /\sholdfast-watcher\s/;

function look(pid: number): (Living & { environment: string[] }) | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // the second field is the program's name in brackets and may hold anything, brackets too
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const marker = environment.find((entry) => entry.startsWith('HOLDFAST_RUN='))?.slice('HOLDFAST_RUN='.length);
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    return { pid, parent: Number(parent), marker, command, environment };
  } catch {
    return undefined; // ended meanwhile, or of another user
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

/** A small process that outlives a killed host just long enough to kill what the host's command left running. */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { ProcessId } from '../../core/ports';
import { MARKER } from './table';

/**
 * Reads lines until the end of its input, which only the host holds. `leave`: all is well. `also PID START`: one more to kill.
 * The end: the host is gone; kill the group, if its leader is still the one meant (or gone), and on Linux whatever carries
 * the marker and what was named besides, until nothing does. Arguments: group, start time of its leader, marked environment
 * entry.
 */
const SCRIPT = `
trap '' HUP INT TERM
others=
while read -r word pid start; do
  [ "$word" = leave ] && exit 0
  others="$others $pid:$start"
done
ours() {
  [ -r "/proc/$1/stat" ] || return 0
  read -r stat < "/proc/$1/stat" || return 0
  start=$2
  set -- \${stat##*) }
  [ "\${20}" = "$start" ]
}
tries=0
while [ $tries -lt 40 ]; do
  tries=$((tries + 1))
  for one in $others; do
    if [ -r "/proc/\${one%:*}/stat" ] && ours "\${one%:*}" "\${one#*:}"; then kill -KILL "\${one%:*}" 2>/dev/null; fi
  done
  if ours "$1" "$2"; then kill -KILL -- "-$1" 2>/dev/null; fi
  [ -d /proc/self ] || { [ $tries -lt 3 ] || exit 0; sleep 0.1; continue; }
  marked=$(grep -lzxF -e "$3" /proc/[0-9]*/environ 2>/dev/null)
  [ -n "$marked" ] || exit 0
  for file in $marked; do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null
  done
  sleep 0.05
done
`;

export interface Watcher {
  readonly pid: number | undefined;
  /** One that group and marker do not tell; said once. */
  also(process: ProcessId): void;
  /** Tells it to leave: nothing is left to kill. */
  dismiss(): void;
}

/** Starts one for a command; the host's event loop is not kept alive by it. */
export function watch(group: ProcessId, marker: string): Watcher {
  const args = ['-c', SCRIPT, 'holdfast-watcher', String(group.pid), group.startTime, `${MARKER}=${marker}`];
  // a session of its own, so that what kills the host's group does not reach it; no marker, so that it is not found itself
  const child = spawn('/bin/sh', args, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  // without one the tree is still ended at the next start: not a reason to refuse the command
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref(); // what a pipe to a child is
  const told = new Set<string>();
  return {
    pid: child.pid,
    also: ({ pid, startTime }) => {
      const line = `also ${pid} ${startTime}\n`;
      if (told.has(line) || startTime.includes(' ')) return; // times of macOS, which the script cannot compare
      told.add(line);
      child.stdin.write(line);
    },
    dismiss: () => void child.stdin.end('leave\n'),
  };
}

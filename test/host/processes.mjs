// Ending a server with all it started. Its process group alone is not enough: terminals and commands of extensions get
// sessions of their own, and what outlives its parent is no longer below the server in the process tree. So every
// process is also known by an environment variable that it inherits. Linux only (/proc).
import { spawn } from 'node:child_process';
import fs from 'node:fs';

/** Name of the environment variable whose value marks everything started by one server. */
export const MARK = 'HOSTED_VSCODE_RUN';

/** Pids of the living processes that carry the mark, are in the group, or descend from its leader. */
export function livingProcesses(mark, group) {
  const all = new Map();
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) && pid !== process.pid && readStat(pid);
    if (stat && stat.state !== 'Z') all.set(pid, stat);
  }
  const found = new Set();
  const wanted = `${MARK}=${mark}`;
  for (const [pid, stat] of all) {
    if (stat.group === group || pid === group || read(`/proc/${pid}/environ`).split('\0').includes(wanted))
      found.add(pid);
  }
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const [pid, stat] of all) if (found.has(stat.parent)) found.add(pid);
  }
  return [...found];
}

/** Whether the process lives; a zombie does not. */
export function isAlive(pid) {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== 'Z';
}

/** Kills all of them at once, without waiting: for the 'exit' event, where nothing asynchronous runs. */
export function killNow(mark, group) {
  for (const pid of livingProcesses(mark, group)) kill(pid, 'SIGKILL');
}

/**
 * Asks the processes `politeFirst` to end, waits at most `graceMs`, kills all that is left, and returns when none lives.
 * Throws when one survives 5 s of that.
 */
export async function endAll(mark, group, politeFirst, graceMs) {
  for (const pid of politeFirst) kill(pid, 'SIGTERM');
  await until(() => livingProcesses(mark, group).length === 0, graceMs);
  const dead = await until(() => {
    killNow(mark, group);
    return livingProcesses(mark, group).length === 0;
  }, 5000);
  if (!dead) throw new Error(`These processes could not be ended: ${livingProcesses(mark, group).join(', ')}`);
}

/**
 * Does what killNow() does, and removes `folder`, when this process dies without a chance to clean up (SIGKILL): a shell
 * waits for the end of a pipe that only we hold open. Returns a function that calls it off.
 */
export function killWhenIDie(mark, group, folder) {
  const watcher = spawn('/bin/sh', ['-c', WATCH, 'sh', `${MARK}=${mark}`, String(group), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.unref();
  watcher.stdin.unref();
  return () => kill(watcher.pid, 'SIGKILL');
}

const WATCH = `read _
kill -s KILL "-$2"
for entry in /proc/[0-9]*; do
  grep -qsF "$1" "$entry/environ" && kill -s KILL "\${entry#/proc/}"
done
rm -rf "$3"`;

function readStat(pid) {
  const text = read(`/proc/${pid}/stat`);
  // the second field is the program's name in brackets and may hold anything, brackets too
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text ? { state: fields[0], parent: Number(fields[1]), group: Number(fields[2]) } : undefined;
}

function read(file) {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return ''; // ended meanwhile, or of another user
  }
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // ended meanwhile
  }
}

async function until(test, limitMs) {
  const end = Date.now() + limitMs;
  while (!test()) {
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

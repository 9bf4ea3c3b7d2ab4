/** Running the user's git for reading: never one that came with the workspace, nothing of the repository's own configuration. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { contains } from '../files/roots';
import { type FsCalls, unlessMissing } from '../fs';

const NAMES = process.platform === 'win32' ? ['git.exe'] : ['git'];

/** The first git on PATH that does not lie in one of `folders`; undefined: none is installed. */
export async function findGit(
  fs: FsCalls,
  folders: readonly string[],
  searchPath = process.env.PATH ?? '',
): Promise<string | undefined> {
  const real = async (place: string): Promise<string> => (await unlessMissing(fs.realpath(place))) ?? place;
  const inside = await Promise.all(folders.map(real));
  for (const dir of searchPath.split(path.delimiter)) {
    // '' and '.' on PATH mean the working folder: whatever a repository put there
    if (!path.isAbsolute(dir)) continue;
    for (const name of NAMES) {
      const file = path.join(dir, name);
      const stat = await fs.stat(file).catch(() => undefined);
      const runs = stat?.isFile() === true && (process.platform === 'win32' || (stat.mode & 0o111) !== 0);
      const place = runs ? await real(file) : '';
      if (runs && !inside.some((folder) => contains(folder, place) || contains(folder, file))) return file;
    }
  }
  return undefined;
}

export interface GitCall {
  cwd: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  input?: string;
}

const CALM = [
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.untrackedCache=false',
];

/** The environment without whatever steers git: a variable of the user's shell must not lead it elsewhere. */
function environment(more: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.toUpperCase().startsWith('GIT_')) env[name] = value;
  }
  return { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', ...more };
}

/** Standard output of one git call. Rejects with the reason when it cannot be started, fails, or the signal fires. */
export function runGit(program: string, args: readonly string[], call: GitCall): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (call.signal.aborted) {
      reject(new Error('stopped'));
      return;
    }
    const child = spawn(program, [...CALM, ...args], {
      cwd: call.cwd,
      env: environment(call.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const kill = (): void => void child.kill('SIGKILL');
    call.signal.addEventListener('abort', kill, { once: true });
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => void (err.length < 16 && err.push(chunk)));
    // It may have ended before it read all: its exit says so.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.input ?? '');
    child.on('error', reject);
    child.on('close', (code) => {
      call.signal.removeEventListener('abort', kill);
      if (code === 0) resolve(Buffer.concat(out));
      else
        reject(
          new Error(`git ${args[0]}: ${Buffer.concat(err).toString('utf8').trim().slice(0, 200) || `exit ${code}`}`),
        );
    });
  });
}

/** The parts of a `-z` output. */
export const parts = (output: Buffer): string[] => output.toString('utf8').split('\0').slice(0, -1);

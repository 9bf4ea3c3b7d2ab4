/** One running command on Windows, where nothing can be frozen and a tree is known by parent links only. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessExit, ProcessId, RunningProcess } from '../../core/ports';
import { type CommandOptions, settle } from './command';

const LIST =
  'Get-CimInstance Win32_Process | Select-Object ProcessId,ParentProcessId,CommandLine,' +
  "@{n='Start';e={[string]$_.CreationDate.ToUniversalTime().Ticks}} | ConvertTo-Json -Compress";

/** Runs a program of the system and gives what it printed; '' when it failed. */
export type Run = (program: 'powershell.exe' | 'taskkill.exe', args: string[]) => Promise<string>;

interface Listed extends ProcessId {
  parent: number;
}

export class WindowsCommand implements RunningProcess {
  readonly canFreeze = false;
  readonly exited: Promise<ProcessExit>;

  private constructor(
    child: ChildProcess,
    readonly id: ProcessId,
    onOutput: (chunk: string) => void,
  ) {
    this.exited = settle(child, onOutput);
  }

  static start(options: Omit<CommandOptions, 'watchers'>): Promise<WindowsCommand> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.env['ComSpec'] ?? 'cmd.exe', ['/d', '/s', '/c', `"${options.command}"`], {
        cwd: options.cwd,
        env: options.env,
        windowsHide: true,
        windowsVerbatimArguments: true, // cmd has rules of its own: the text goes to it as it is
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const { pid } = child;
      if (pid === undefined) {
        child.once('error', (error) => reject(new Error(error.message)));
        return;
      }
      child.on('error', () => undefined);
      void list(runSystem).then((all) => {
        const startTime = all.find((one) => one.pid === pid)?.startTime ?? '';
        resolve(new WindowsCommand(child, { pid, startTime, command: options.command }, options.onOutput));
      });
    });
  }

  freeze(): Promise<boolean> {
    return Promise.resolve(false);
  }

  thaw(): Promise<void> {
    return Promise.resolve();
  }

  end(graceMs: number): Promise<ProcessId[]> {
    return endTree(this.id, graceMs);
  }

  alive(): Promise<ProcessId[]> {
    return listTree(this.id);
  }

  /** Nothing is tracked here: what loses its parent is out of sight. */
  loose(): ProcessId[] {
    return [];
  }

  suspects(): Promise<ProcessId[]> {
    return Promise.resolve([]);
  }
}

/** The living of a tree; a parent link counts only if the child is younger (numbers are given away again). */
export async function listTree(root: ProcessId, run: Run = runSystem): Promise<ProcessId[]> {
  const all = await list(run);
  const found = all.filter((one) => one.pid === root.pid && one.startTime === root.startTime);
  for (const parent of found) {
    for (const one of all) {
      const younger = one.parent === parent.pid && !found.includes(one) && older(parent.startTime, one.startTime);
      if (younger) found.push(one); // the loop reaches it too
    }
  }
  return found.map(({ pid, startTime, command }) => ({ pid, startTime, command }));
}

/** Asks the tree to close, waits, kills it. The tree is listed first: once its root is gone the links are. */
export async function endTree(root: ProcessId, graceMs: number, run: Run = runSystem): Promise<ProcessId[]> {
  const tree = await listTree(root, run);
  if (tree.length === 0) return [];
  await run('taskkill.exe', ['/T', '/PID', String(root.pid)]);
  const end = performance.now() + graceMs;
  while (performance.now() < end && (await living(tree, run)).length > 0) await delay(100);
  for (let tries = 0; tries < 10; tries += 1) {
    const left = await living(tree, run);
    if (left.length === 0) return [];
    for (const one of left) await run('taskkill.exe', ['/T', '/F', '/PID', String(one.pid)]);
    await delay(100);
  }
  return living(tree, run);
}

async function living(tree: readonly ProcessId[], run: Run): Promise<ProcessId[]> {
  const all = await list(run);
  return tree.filter((one) => all.some((now) => now.pid === one.pid && now.startTime === one.startTime));
}

function older(one: string, other: string): boolean {
  return one !== '' && other !== '' && BigInt(one) <= BigInt(other);
}

async function list(run: Run): Promise<Listed[]> {
  const text = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', LIST]);
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(rows) ? rows : [rows]).flatMap((row: Record<string, unknown> | null) => {
    const { ProcessId: pid, ParentProcessId: parent, CommandLine: command, Start: ticks } = row ?? {};
    if (typeof pid !== 'number' || typeof parent !== 'number' || pid <= 4) return []; // the system itself
    const startTime = typeof ticks === 'string' ? ticks : '';
    return [{ pid, parent, startTime, command: typeof command === 'string' ? command : '' }];
  });
}

/** What the program printed; '' when it failed. Found in the system's folder only, never in the workspace. */
function runSystem(program: string, args: string[]): Promise<string> {
  const system = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32`;
  const file =
    program === 'powershell.exe' ? `${system}\\WindowsPowerShell\\v1.0\\${program}` : `${system}\\${program}`;
  return new Promise((resolve) => {
    execFile(file, args, { windowsHide: true, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) =>
      resolve(error ? '' : stdout),
    );
  });
}

/** The place a scenario is played in: its folders on disk, what stands in them at the start, and what the human does. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ByPath, Content, Human, Setup } from './types';
import { fingerprint } from './fingerprint';

/** What stands at a path, for later comparison. */
export interface Seen {
  kind: 'file' | 'directory' | 'link' | 'missing' | 'other';
  bytes: Buffer | undefined;
  target: string | undefined;
  /** Permission bits. */
  mode: number;
  mtimeNs: bigint;
}

export interface ShellEnd {
  code: number | null;
  stderr: string;
}

/** The bytes of a content that has bytes. */
export function bytesOf(content: Content): Buffer | undefined {
  if (typeof content === 'string') return Buffer.from(content, 'utf8');
  if ('hex' in content) return Buffer.from(content.hex, 'hex');
  if ('text' in content) return Buffer.from(content.text, 'utf8');
  // strings have a method `repeat`, so the type is told first
  if ('repeat' in content) return Buffer.from(content.repeat.repeat(content.times), 'utf8');
  return undefined;
}

export class Place {
  /** Fingerprint of the files at the start, by their path in the scenario. */
  readonly atStart = new Map<string, Seen>();
  /** Everything beside workspace and storage, as the human left it. */
  private outside = new Map<string, string>();
  /** Ends of human shells that were not 0: no error of the scenario, but good to know where it fails. */
  readonly notes: string[] = [];
  /** What appeared outside without the human. */
  readonly trespasses: string[] = [];

  /** `root` holds the workspace and what a path such as `../outside/x` means. */
  constructor(
    readonly root: string,
    readonly workspace: string,
    readonly storage: string,
  ) {}

  /** HOME and TMPDIR of the played host: what lands there is found by the invariants. */
  get home(): string {
    return path.join(this.root, 'home');
  }

  get tmp(): string {
    return path.join(this.root, 'tmp');
  }

  /** Environment in which neither the user's nor the system's git settings matter. */
  environment(): Record<string, string> {
    return { HOME: this.home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  }

  /** Absolute path of a path of the scenario; `../outside/x` is a neighbour of the workspace. */
  at(relative: string): string {
    const found = path.resolve(this.workspace, relative);
    if (!found.startsWith(this.root + path.sep)) throw new Error(`${relative} leads out of the scenario's folder`);
    return found;
  }

  async setUp(setup: Setup): Promise<void> {
    for (const dir of [this.workspace, this.storage, this.home, this.tmp]) await mkdir(dir, { recursive: true });
    for (const [name, content] of Object.entries(setup.files)) await this.put(name, content);
    for (const folder of setup.folders ?? []) await mkdir(this.at(folder), { recursive: true });
    if (setup.workspaceSettings) await this.putWorkspaceSettings(setup.workspaceSettings);
    for (const [name, content] of Object.entries(setup.storage ?? {}))
      await putAt(path.resolve(this.storage, name), content);
    if (setup.git) await this.initRepository();
    for (const name of Object.keys(setup.files)) this.atStart.set(name, this.look(name));
    this.outside = await this.lookOutside();
  }

  look(name: string): Seen {
    return lookAt(this.at(name));
  }

  /** The file-system half of a human action, in the order written; keys of editors are handed to `editor`. */
  async human(human: Human, withinMs: number, editor: (key: keyof Human) => Promise<void>): Promise<void> {
    await this.checkOutside();
    const times = human.keepTimes ? await this.times() : undefined;
    for (const key of Object.keys(human) as (keyof Human)[]) {
      if (key === 'keepTimes') continue;
      if (!(await this.act(key, human, withinMs))) await editor(key);
    }
    for (const [file, stat] of times ?? []) {
      const now = fs.lstatSync(file, { throwIfNoEntry: false });
      if (now?.isFile()) await utimes(file, stat.atime, stat.mtime);
    }
    this.outside = await this.lookOutside();
  }

  /** Notes what changed outside since the human was last there. */
  async checkOutside(): Promise<void> {
    const now = await this.lookOutside();
    for (const [name, print] of now)
      if (this.outside.get(name) !== print)
        this.trespasses.push(`${name} ${this.outside.has(name) ? 'changed' : 'appeared'}`);
    for (const name of this.outside.keys()) if (!now.has(name)) this.trespasses.push(`${name} is gone`);
    this.outside = now;
  }

  private async act(key: keyof Human, human: Human, withinMs: number): Promise<boolean> {
    switch (key) {
      case 'write':
        for (const [name, content] of Object.entries(human.write ?? {})) await this.put(name, content);
        return true;
      case 'remove':
        for (const name of human.remove ?? []) await rm(this.at(name), { recursive: true });
        return true;
      case 'rename':
        for (const [from, to] of Object.entries(human.rename ?? {})) {
          await mkdir(path.dirname(this.at(to)), { recursive: true });
          await rename(this.at(from), this.at(to));
        }
        return true;
      case 'chmod':
        for (const [name, bits] of Object.entries(human.chmod ?? {})) await chmod(this.at(name), parseInt(bits, 8));
        return true;
      case 'touch':
        for (const name of human.touch ?? []) await utimes(this.at(name), new Date(), new Date());
        return true;
      case 'shell': {
        const end = await this.shell(human.shell ?? '', withinMs);
        if (end.code !== 0) this.notes.push(`human.shell ended with ${end.code}: ${end.stderr.trim().slice(-300)}`);
        return true;
      }
      default:
        return false;
    }
  }

  /** Rejects when it has not ended within the time; it is killed then. */
  shell(command: string, withinMs: number): Promise<ShellEnd> {
    const env = { ...process.env, ...this.environment(), HOLDFAST_STORAGE: this.storage };
    return new Promise((resolve, reject) => {
      const child = spawn('/bin/sh', ['-c', command], {
        cwd: this.workspace,
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let stderr = '';
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`human.shell did not end within ${withinMs} ms`));
      }, withinMs);
      child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-4000)));
      child.once('error', reject);
      child.once('exit', (code) => {
        clearTimeout(timer);
        resolve({ code, stderr });
      });
    });
  }

  private put(name: string, content: Content): Promise<void> {
    return putAt(this.at(name), content);
  }

  /** Where VS Code keeps them; merged into a file that the scenario brings itself. */
  private async putWorkspaceSettings(settings: Record<string, unknown>): Promise<void> {
    const file = this.at('.vscode/settings.json');
    const there = fs.existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as ByPath<unknown>) : {};
    await putAt(file, JSON.stringify({ ...there, ...settings }, undefined, 2));
  }

  private async initRepository(): Promise<void> {
    const identity = '-c user.name=scenario -c user.email=scenario@example.invalid';
    const end = await this.shell(
      `git -c init.defaultBranch=main init -q && git add -A && git ${identity} commit -q --allow-empty -m start`,
      30_000,
    );
    if (end.code !== 0) throw new Error(`git could not be set up: ${end.stderr}`);
  }

  private async times(): Promise<Map<string, fs.Stats>> {
    const found = new Map<string, fs.Stats>();
    for (const name of (await fingerprint(this.workspace, { content: false })).keys()) {
      const file = path.join(this.workspace, name);
      const stat = fs.lstatSync(file, { throwIfNoEntry: false });
      if (stat?.isFile()) found.set(file, stat);
    }
    return found;
  }

  private lookOutside(): Promise<Map<string, string>> {
    return fingerprint(this.root, { content: true, without: [this.workspace, this.storage] });
  }
}

function lookAt(file: string): Seen {
  let stat: fs.BigIntStats | undefined;
  try {
    stat = fs.lstatSync(file, { bigint: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
  const nothing = { bytes: undefined, target: undefined, mode: 0, mtimeNs: 0n };
  if (!stat) return { kind: 'missing', ...nothing };
  const facts = { ...nothing, mode: Number(stat.mode & 0o7777n), mtimeNs: stat.mtimeNs };
  if (stat.isSymbolicLink()) return { ...facts, kind: 'link', target: fs.readlinkSync(file) };
  if (stat.isDirectory()) return { ...facts, kind: 'directory' };
  if (stat.isFile()) return { ...facts, kind: 'file', bytes: fs.readFileSync(file) };
  return { ...facts, kind: 'other' };
}

async function putAt(file: string, content: Content): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const bytes = bytesOf(content);
  if (bytes) {
    await writeFile(file, bytes);
    if (typeof content !== 'string' && 'text' in content && content.mode !== undefined)
      await chmod(file, parseInt(content.mode, 8));
  } else if (typeof content !== 'string' && 'link' in content) {
    await rm(file, { force: true });
    await symlink(content.link, file);
  } else {
    await mkdir(file, { recursive: true });
  }
}

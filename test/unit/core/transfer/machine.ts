/** Two machines for a run to travel between: each a workspace and a storage of its own, with the real files. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { HoldfastCore } from '../../../../src/core/api';
import type { Refusal } from '../../../../src/core/errors';
import { openHoldfast } from '../../../../src/core/holdfast';
import type { Ports, Settings } from '../../../../src/core/ports';
import type { RunState } from '../../../../src/core/run/state';
import { summarizeLoaded } from '../../../../src/core/run/load';
import type { LocalWord } from '../../../../src/core/transfer/archive';
import { NodeArchives } from '../../../../src/node/archive/archives';
import { folderWords } from '../../../../src/node/archive/localWords';
import { type FsCalls, realFs } from '../../../../src/node/fs';
import { sha256 } from '../../../../src/node/hash';
import { NodeStore } from '../../../../src/node/store';
import { nodePorts } from '../kill/host';

export interface Step {
  title?: string;
  tool: string;
  with: object;
  pauseBefore?: boolean;
}

export class Machine {
  readonly workspace: string;
  readonly storage: string;
  core!: HoldfastCore;
  ports!: Ports;

  constructor(
    dir: string,
    readonly settings: Partial<Settings> = {},
    readonly words: readonly LocalWord[] = [],
  ) {
    this.workspace = path.join(dir, 'project');
    this.storage = path.join(dir, 'storage');
    mkdirSync(this.workspace, { recursive: true });
  }

  async open(fs: FsCalls = realFs): Promise<this> {
    const ports = nodePorts({ workspace: this.workspace, storage: this.storage });
    const store = new NodeStore({ dir: this.storage, fs, summarise: summarizeLoaded });
    const words = (): Promise<LocalWord[]> =>
      Promise.resolve([...folderWords(this.workspace, '<folder project>'), ...this.words]);
    const archives = new NodeArchives({ fs, dir: this.storage, store, words });
    const log = { ...ports.log, error: () => undefined };
    this.ports = { ...ports, log, store, archives, settings: { ...ports.settings, ...this.settings } };
    this.core = await openHoldfast(this.ports);
    return this;
  }

  put(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.workspace, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** Starts a playbook and waits until it stands still. */
  async start(steps: readonly Step[], goal = 'Write'): Promise<RunState> {
    const source = JSON.stringify({ goal, steps });
    const started = await this.core.startRun({ engine: { kind: 'playbook', label: 'p.json', source, format: 'json' } });
    return this.core.settled(granted(started).runId);
  }
}

export function granted<T>(answer: T | Refusal): T {
  if (typeof answer === 'object' && answer !== null && 'refused' in answer) assert.fail(answer.message);
  return answer;
}

export function refused(answer: unknown): Refusal {
  assert.ok(typeof answer === 'object' && answer !== null && 'refused' in answer, JSON.stringify(answer));
  return answer as Refusal;
}

export const write = (name: string, content: string): Step => ({ tool: 'write_file', with: { path: name, content } });

type Json = Record<string, unknown>;

/** Lines of an exported file. */
export const linesOf = (bytes: Uint8Array): Json[] =>
  gunzipSync(bytes)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

/** A file of these lines with a sum that fits: as somebody who means ill would make it. */
export function forged(lines: readonly Json[]): Buffer {
  const body = lines.slice(0, -1).map((line) => `${JSON.stringify(line)}\n`);
  const end = { ...lines.at(-1), sum: sha256(Buffer.from(body.join(''))) };
  return gzipSync(`${body.join('')}${JSON.stringify(end)}\n`);
}

/** Opens machines in folders of one test, by name; they are closed after it. Call it in a `describe`. */
export function useMachines(folder: {
  at(...names: string[]): string;
}): (name: string, ...more: [Machine['settings']?, Machine['words']?]) => Promise<Machine> {
  const open: Machine[] = [];
  afterEach(async () => {
    for (const machine of open.splice(0)) await machine.core.dispose();
  });
  return async (name, ...more) => {
    const made = new Machine(folder.at(name), ...more);
    open.push(await made.open());
    return made;
  };
}

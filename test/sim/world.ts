/** The whole simulated world: the core on ports in memory. Everything in it follows from the seed and from what is done to it. */
import type { HoldfastCore } from '../../src/core/api';
import type { Formatter } from '../../src/core/formatter';
import { HoldProbe } from '../../src/core/holdProbe';
import { openHoldfast } from '../../src/core/holdfast';
import type { GitState, Ports, Settings } from '../../src/core/ports';
import type { Limits } from '../../src/core/run/limits';
import type { RunState } from '../../src/core/run/state';
import { sha256 } from '../../src/node/hash';
import { SimBuffers } from './buffers';
import { SimClock } from './clock';
import { SimFiles } from './files';
import { type Brain, ListBrain, SimModels } from './model';
import { SimProcesses } from './processes';
import { Random } from './random';
import { StorePromises } from './promises';
import { SimServers } from './servers';
import { type CrashingStore, SimStore } from './store';
import { SimTree } from './tree';
import { quiet, Turns } from './turns';

/** What a test may set; read anew each time, as the core does. */
export interface SimSettings {
  approvals: 'ask' | 'edits' | 'auto';
  ttlMinutes: number;
  pauseCommands: 'freeze' | 'finish' | 'end';
  unsavedOnResume: 'ask' | 'save' | 'keep';
  humanLines: 'ask' | 'warn' | 'off';
  protectedPaths: string[];
  limits: Limits;
}

export interface SimOptions {
  seed?: number;
  brain?: Brain;
  settings?: Partial<SimSettings>;
  files?: Record<string, string | Uint8Array>;
  /** Default: one in memory. */
  store?: (turns: Turns, random: Random) => CrashingStore;
  /** There is a server of tools. */
  servers?: boolean;
  /** The workspace is remembered as a whole, as a disk without git is; else there is no such memory. */
  tree?: boolean;
  /** The editor has one; else it has none. */
  formatter?: Formatter;
}

/** Time that passes by itself while a test waits: more than any grace or retry here, less than an approval lives. */
const PATIENCE_MS = 120_000;

export class SimWorld {
  /** Turns after which a world that does not come to rest is called restless. */
  restless = 20_000;
  readonly random: Random;
  readonly turns: Turns;
  readonly clock: SimClock;
  readonly files: SimFiles;
  readonly buffers: SimBuffers;
  readonly store: CrashingStore;
  readonly promises = new StorePromises();
  readonly processes: SimProcesses;
  readonly models: SimModels;
  readonly servers: SimServers;
  readonly settings: SimSettings;
  readonly tree: SimTree | undefined;
  git: GitState | undefined;
  gitError: Error | undefined;
  probe = new HoldProbe();
  /** Errors the core logged. */
  readonly errors: string[] = [];
  core: HoldfastCore | undefined;
  onState: ((state: RunState) => void) | undefined;
  private runs = 0;

  constructor(private readonly options: SimOptions = {}) {
    this.random = new Random(options.seed ?? 1);
    this.turns = new Turns(this.random);
    this.clock = new SimClock(this.turns);
    this.files = new SimFiles(this.turns, this.clock);
    this.buffers = new SimBuffers(this.turns, this.files);
    this.store = options.store?.(this.turns, this.random) ?? new SimStore(this.turns, this.random);
    this.processes = new SimProcesses(this, this.random);
    this.servers = new SimServers(this.turns, this.clock, this.random);
    this.models = new SimModels(this.turns, options.brain ?? new ListBrain([]));
    this.settings = {
      approvals: 'auto',
      ttlMinutes: 60,
      pauseCommands: 'freeze',
      unsavedOnResume: 'ask',
      humanLines: 'ask',
      protectedPaths: [],
      limits: {},
      ...options.settings,
    };
    this.tree = options.tree ? new SimTree(this.turns, this.files) : undefined;
    for (const [path, content] of Object.entries(options.files ?? {})) this.files.put(path, content);
  }

  /** Starts the host: the core on this world. */
  async open(): Promise<HoldfastCore> {
    this.core = await this.finish(openHoldfast(this.ports()));
    this.core.onDidChange((state) => this.onState?.(state));
    return this.core;
  }

  /** The host's process dies; disk, editor and people stay. */
  async crash(): Promise<void> {
    // What can run without the world belongs to the life before.
    await quiet();
    this.processes.crash();
    this.servers.crash();
    this.turns.drop();
    this.clock.drop();
    this.models.drop();
    this.probe = new HoldProbe();
    this.store.crash();
    this.promises.crash();
    this.buffers.follow();
    this.core = undefined;
  }

  /** Gives up to `count` turns; false: nobody wanted one any more. */
  async go(count: number): Promise<boolean> {
    for (let i = 0; i < count; i += 1) {
      await quiet();
      if (!this.turns.give()) return false;
    }
    await quiet();
    return true;
  }

  /** Until nothing moves by itself, time up to `patienceMs` included. */
  async settle(patienceMs = PATIENCE_MS): Promise<void> {
    let left = patienceMs;
    for (let turns = 0; ;) {
      await quiet();
      if (this.turns.give()) {
        if ((turns += 1) > this.restless) throw new Stuck('it never comes to rest');
        continue;
      }
      const next = this.clock.next();
      if (next === undefined || next > left) return;
      left -= next;
      this.clock.advance(next);
    }
  }

  /** The world goes on until the work is done. Rejects where nothing moves and it is not. */
  async finish<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const note = (): void => {
      over = true;
    };
    work.then(note, note);
    let left = PATIENCE_MS;
    for (let turns = 0; ; turns += 1) {
      await quiet();
      if (over) return work;
      if (turns > this.restless) throw new Stuck('it never comes to rest');
      if (this.turns.give()) continue;
      const next = this.clock.next();
      if (next === undefined || next > left) throw new Stuck();
      left -= next;
      this.clock.advance(next);
    }
  }

  /** The ports, for a core that some of them are taken from elsewhere. */
  ports(): Ports {
    return {
      files: this.files,
      buffers: this.buffers,
      models: this.models,
      processes: this.processes,
      store: this.promises.watch(this.store),
      clock: this.clock,
      ids: { run: () => `run-${String((this.runs += 1)).padStart(3, '0')}` },
      git: { state: () => this.turns.take().then(() => this.gitNow()) },
      diagnostics: { get: () => Promise.resolve(undefined) },
      settings: this.settingsPort(),
      output: { opened: () => undefined, data: () => undefined, closed: () => undefined },
      log: {
        info: () => undefined,
        warn: () => undefined,
        error: (message, error) =>
          void this.errors.push(
            `${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
          ),
      },
      probe: this.probe,
      hash: sha256,
      ...(this.options.servers ? { toolServers: this.servers } : {}),
      ...(this.tree ? { tree: this.tree } : {}),
      ...(this.options.formatter ? { formatter: this.options.formatter } : {}),
    };
  }

  settingsPort(): Settings {
    return settingsPort(this.settings);
  }

  private gitNow(): GitState | undefined {
    if (this.gitError) throw this.gitError;
    return this.git;
  }
}

/** What was waited for has not come: nothing moves, or nothing but that. */
export class Stuck extends Error {
  constructor(what = 'nothing moves any more, and the work is not done') {
    super(what);
    this.name = 'Stuck';
  }
}

function settingsPort(s: SimSettings): Settings {
  return {
    approvals: () => s.approvals,
    approvalTtlMinutes: () => s.ttlMinutes,
    pauseCommands: () => s.pauseCommands,
    stopGraceMs: () => 2000,
    unsavedOnResume: () => s.unsavedOnResume,
    humanLines: () => s.humanLines,
    protectedPaths: () => s.protectedPaths,
    sensitivePaths: () => [],
    secretPaths: () => [],
    commandsAllow: () => [],
    commandsDeny: () => [],
    limits: () => s.limits,
  };
}

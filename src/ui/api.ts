/** What `activate()` gives to other extensions; versioned. A command that does not apply answers with a refusal, as in the UI. */
import { EventEmitter, type Disposable as VscodeDisposable, type Event } from 'vscode';
import type { HoldfastCore, ResumeResult, StartOptions } from '../core/api';
import type { Refusal } from '../core/errors';
import type { NoteState, Receipt, RunState, RunSummary } from '../core/run/state';
import { Disposable } from '../vscode/disposable';
import { isRefusal } from './messages';
import type { Watch } from './watch';

export interface RunHandle {
  readonly id: string;
  /** A frozen snapshot. */
  state(): RunState;
  pause(): Promise<Receipt | Refusal>;
  resume(): Promise<ResumeResult | Refusal>;
  steer(text: string, options?: { now?: boolean }): Promise<NoteState | Refusal>;
  abort(): Promise<Receipt | Refusal>;
  takeOver(): Promise<Receipt | Refusal>;
  handBack(note?: string): Promise<ResumeResult | Refusal>;
  decide(decisionId: string, choice: string, text?: string): Promise<{ state: string } | Refusal>;
  /** The next time the run is not running, stopping or reconciling. */
  settled(): Promise<RunState>;
}

export interface HoldfastApi {
  readonly version: 1;
  /** Rejects with an Error that carries the refusal's `code` where no run can start. */
  startRun(options: StartOptions): Promise<RunHandle>;
  /** undefined: there is no such run, or it has not been loaded since the window opened. */
  getRun(runId: string): RunHandle | undefined;
  runs(): readonly RunSummary[];
  readonly onDidChangeRun: Event<RunSummary>;
  /** Come with a later version: these throw until then. */
  registerTool(tool: unknown): VscodeDisposable;
  registerAgent(agent: unknown): VscodeDisposable;
}

export class RefusedError extends Error {
  readonly code: Refusal['code'];

  constructor({ code, message }: Refusal) {
    super(message);
    this.name = 'RefusedError';
    this.code = code;
  }
}

function handle(core: HoldfastCore, id: string): RunHandle {
  return {
    id,
    state: () => {
      const state = core.get(id);
      if (!state) throw new Error(`The run ${id} is no longer stored.`);
      return state;
    },
    pause: () => core.pause({ runId: id }),
    resume: () => core.resume({ runId: id }),
    steer: async (text, options) => {
      const result = await core.steer({ runId: id, text, now: options?.now === true });
      return isRefusal(result) ? result : result.state;
    },
    abort: () => core.abort({ runId: id }),
    takeOver: () => core.takeOver({ runId: id }),
    handBack: (note) => core.handBack({ runId: id, ...(note === undefined ? {} : { note }) }),
    decide: (decisionId, choice, text) => core.decide({ decisionId, choice, ...(text === undefined ? {} : { text }) }),
    settled: () => core.settled(id),
  };
}

const later = (name: string): never => {
  throw new Error(`${name} comes with a later version of Holdfast: use the built-in tools and engines until then.`);
};

export class ExportedApi extends Disposable {
  private readonly changed = this._register(new EventEmitter<RunSummary>());

  constructor(
    private readonly core: HoldfastCore,
    watch: Watch,
  ) {
    super();
    this._register(
      watch.onDidChangeRun(({ runId }) => {
        const summary = core.runs().find((one) => one.runId === runId);
        if (summary) this.changed.fire(summary);
      }),
    );
  }

  get v1(): HoldfastApi {
    const { core } = this;
    return {
      version: 1,
      startRun: async (options) => {
        const result = await core.startRun(options);
        if (isRefusal(result)) throw new RefusedError(result);
        return handle(core, result.runId);
      },
      getRun: (runId) => (core.get(runId) ? handle(core, runId) : undefined),
      runs: () => core.runs(),
      onDidChangeRun: this.changed.event,
      registerTool: () => later('registerTool'),
      registerAgent: () => later('registerAgent'),
    };
  }
}

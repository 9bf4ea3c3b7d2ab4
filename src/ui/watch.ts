/** The run that is shown. Keeps no truth of its own: each listener gets the newest stored snapshot. */
import { EventEmitter } from 'vscode';
import type { HoldfastCore } from '../core/api';
import { isFinal, type RunState } from '../core/run/state';
import { Disposable, toDisposable } from '../vscode/disposable';

export class Watch extends Disposable {
  private readonly changed = this._register(new EventEmitter<RunState | undefined>());
  private readonly anyRun = this._register(new EventEmitter<RunState>());
  /** The current run changed, or another one took its place. */
  readonly onDidChange = this.changed.event;
  /** Any loaded run changed. */
  readonly onDidChangeRun = this.anyRun.event;

  /** The run that listeners know as the current one. */
  private told: string | undefined;

  constructor(private readonly core: HoldfastCore) {
    super();
    this._register(
      toDisposable(
        core.onDidChange((state) => {
          this.anyRun.fire(state);
          const current = core.current();
          // Another one takes its place: a fork, or, after the end of one, a run that still stands paused.
          if (current?.runId === state.runId || current?.runId !== this.told) this.tell();
          // Known from the index alone, and the first to be gone on with: it is read.
          if (!current) void this.ensure({ final: false }).catch(() => undefined);
        }),
      ),
    );
  }

  get state(): RunState | undefined {
    return this.core.current();
  }

  /** A run that is not final. */
  get active(): RunState | undefined {
    const state = this.state;
    return state && !isFinal(state.status) ? state : undefined;
  }

  /**
   * Reads the newest run that is not loaded yet: after a start only the small index is known. A run that is not final
   * comes first. Answers with the current run.
   */
  async ensure(options: { final: boolean }): Promise<RunState | undefined> {
    if (this.state) return this.state;
    const runs = this.core.runs();
    const wanted = runs.find((run) => !isFinal(run.status)) ?? (options.final ? runs[0] : undefined);
    if (wanted) await this.core.load(wanted.runId);
    if (wanted && !this.isDisposed) this.refresh();
    return this.state;
  }

  /** A run was deleted: the core tells nobody. */
  refresh(): void {
    this.tell();
  }

  private tell(): void {
    const { state } = this;
    this.told = state?.runId;
    this.changed.fire(state);
  }
}

/** The facade: commands in, snapshots out. Built the same by the extension and by the host that plays scenarios. */
import { humanLines } from './commands/humanLines';
import { proposedText } from './commands/proposedText';
import { conflictText, storedText } from './commands/storedText';
import type { LineRange } from './lineRanges';
import type { HoldfastCore, KillResult, ResumeResult, StartOptions, SteerResult, GuardResult } from './api';
import type { ForkRequest } from './checkpoints/fork';
import type { RestoreRequest, RestoreResult, UndoResult } from './checkpoints/types';
import { Cleaner } from './commands/clean';
import { compensate } from './commands/compensate';
import { decide } from './commands/decide';
import { deleteRun } from './commands/deleteRun';
import { exportRun, type ExportRequest, type ExportResult } from './commands/exportRun';
import { forkRun } from './commands/fork';
import { goOn } from './commands/goOn';
import { importRun, type ImportRequest, type ImportResult } from './commands/importRun';
import { pinRun } from './commands/pin';
import { killCommand } from './commands/killCommand';
import { addGuard, removeGuard } from './commands/guards';
import { editNote, steer, withdrawNote } from './commands/notes';
import { restoreCheckpoint, undoRestore } from './commands/restore';
import { startRun } from './commands/start';
import { forceStop, stop } from './commands/stop';
import type { Refusal } from './errors';
import type { Holder } from './lease';
import type { Ports } from './ports';
import { RunRegistry, type Target } from './registry';
import type { GuardRequest } from './run/guards';
import { isActive, type Receipt, type RunState, type RunSummary, type Decision } from './run/state';

class Holdfast implements HoldfastCore {
  constructor(
    private readonly ports: Ports,
    private readonly registry: RunRegistry,
    private readonly cleaner: Cleaner,
  ) {}

  // ------------------------------------------------------------ commands

  startRun(options: StartOptions): Promise<{ runId: string } | Refusal> {
    return startRun(this.registry, options);
  }

  pause(target?: Target): Promise<Receipt | Refusal> {
    return stop(this.registry, target, 'pause');
  }

  abort(target?: Target): Promise<Receipt | Refusal> {
    return stop(this.registry, target, 'abort');
  }

  takeOver(target?: Target): Promise<Receipt | Refusal> {
    return stop(this.registry, target, 'takeOver');
  }

  forceStop(target?: Target): Promise<Receipt | Refusal> {
    return forceStop(this.registry, target);
  }

  killCommand(target?: { runId?: string; stepId?: string }): Promise<KillResult | Refusal> {
    return killCommand(this.registry, target);
  }

  resume(target?: Target): Promise<ResumeResult | Refusal> {
    return goOn(this.registry, target, 'resume');
  }

  handBack(target?: { runId?: string; note?: string }): Promise<ResumeResult | Refusal> {
    return goOn(this.registry, target, 'handBack', target?.note);
  }

  steer(note: { runId?: string; text: string; now?: boolean }): Promise<SteerResult | Refusal> {
    return steer(this.registry, note);
  }

  withdrawNote(target: { runId?: string; noteId: string }): Promise<SteerResult | Refusal> {
    return withdrawNote(this.registry, target);
  }

  editNote(note: { runId?: string; noteId: string; text: string }): Promise<SteerResult | Refusal> {
    return editNote(this.registry, note);
  }

  addGuard(guard: GuardRequest & { runId?: string }): Promise<GuardResult | Refusal> {
    return addGuard(this.registry, guard);
  }

  removeGuard(target: { runId?: string; guardId: string }): Promise<GuardResult | Refusal> {
    return removeGuard(this.registry, target);
  }

  decide(answer: { decisionId: string; choice: string; text?: string }): Promise<{ state: string } | Refusal> {
    return decide(this.registry, answer);
  }

  deleteRun(target: { runId: string }): Promise<{ deleted: true } | Refusal> {
    return deleteRun(this.registry, target, () => this.cleaner.start(true));
  }

  async takeControlHere(): Promise<{ taken: true } | Refusal> {
    return (await this.registry.takeHere()) ?? { taken: true };
  }

  pinRun(target: { runId?: string; pinned: boolean }): Promise<{ pinned: boolean } | Refusal> {
    return pinRun(this.registry, target);
  }

  restoreCheckpoint(request: RestoreRequest): Promise<RestoreResult | Refusal> {
    return restoreCheckpoint(this.registry, request);
  }

  undoRestore(request?: { undo?: string | null }): Promise<UndoResult | Refusal> {
    return undoRestore(this.registry, request);
  }

  compensate(target?: { runId?: string; stepId?: string }): ReturnType<HoldfastCore['compensate']> {
    return compensate(this.registry, target);
  }

  forkRun(request: ForkRequest): Promise<{ runId: string } | Refusal> {
    return forkRun(this.registry, request);
  }

  exportRun(request: ExportRequest): Promise<ExportResult | Refusal> {
    return exportRun(this.registry, request);
  }

  importRun(request: ImportRequest): Promise<ImportResult | Refusal> {
    return importRun(this.registry, request);
  }

  // ------------------------------------------------------------ snapshots

  heldBy(): Holder | undefined {
    return this.registry.holder;
  }

  current(): RunState | undefined {
    const id = this.registry.currentId();
    return id === undefined ? undefined : this.registry.known(id);
  }

  get(runId: string): RunState | undefined {
    return this.registry.known(runId);
  }

  async load(runId: string): Promise<RunState | undefined> {
    return this.registry.stateOf(runId);
  }

  runs(): readonly RunSummary[] {
    return this.registry.summaries();
  }

  onDidChange(listener: (state: RunState) => void): () => void {
    return this.registry.onDidChange(listener);
  }

  async settled(runId: string): Promise<RunState> {
    const run = await this.registry.controller(runId);
    if (!run) throw new Error(`no run ${runId}`);
    return this.registry.until(run, (s) => !isActive(s.status));
  }

  content(hash: string): Promise<Uint8Array | undefined> {
    return this.ports.store.blobs.get(hash);
  }

  text(stored: { path: string; hash: string | null }): Promise<string | undefined> {
    return storedText(this.ports, stored);
  }

  proposed(decisionId: string): Promise<{ before: string; after: string } | undefined> {
    return proposedText(this.ports, this.get(decisionId.slice(0, decisionId.lastIndexOf('/'))), decisionId);
  }

  conflictText(decision: Decision): Promise<string | undefined> {
    return conflictText(this.ports, decision);
  }

  humanLines(shown: { path: string; text: string }): Promise<LineRange[]> {
    return humanLines(this.ports, this.current(), shown);
  }

  async dispose(): Promise<void> {
    await this.cleaner.close();
    await this.registry.close();
  }
}

/** Opens the core on its ports: reads the small index, and settles what an earlier process left in the middle. */
export async function openHoldfast(ports: Ports): Promise<HoldfastCore> {
  const registry = new RunRegistry(ports);
  await registry.open();
  const cleaner = new Cleaner(registry);
  registry.onDidChange(cleaner.boundary);
  if (registry.summaries().length > 0) cleaner.start();
  return new Holdfast(ports, registry, cleaner);
}

/** What the model is told: one result a call, each note and each report once, and the human's changes before anything runs. */
import type { ModelRequest, PromptMessage } from '../../../src/core/ports';
import type { RunState } from '../../../src/core/run/state';
import { fileOf, stepOf } from '../../../src/core/run/update';
import { sha256 } from '../../../src/node/hash';
import { encode } from '../../../src/core/reconcile/text';
import { pairingProblems } from '../model';
import type { SimWorld } from '../world';
import { NOTE } from './acts';

export class Talk {
  /** Told in the transcript, and in no request yet. */
  private owed: { text: string; /** Nothing may run before it is told. */ first: boolean }[] = [];
  /** What stood in the files of the run when the reconcile in flight began. */
  private atReconcile: Map<string, string | null> | undefined;

  constructor(
    private readonly world: SimWorld,
    private readonly blame: (what: string) => void,
  ) {}

  clear(): void {
    this.owed = [];
    this.atReconcile = undefined;
  }

  /** The host has died, or the run is another. */
  forget(state: RunState): void {
    const told = new Set(state.transcript.flatMap((e) => (e.kind === 'report' ? [e.text] : [])));
    this.owed = this.owed.filter(({ text }) => told.has(text));
    this.atReconcile = undefined;
  }

  see(before: RunState | undefined, state: RunState): void {
    if (state.inFlight?.kind === 'reconcile' && before?.inFlight?.kind !== 'reconcile')
      this.atReconcile = this.contents(state);
    if (!before) return;
    const through = before.inFlight?.kind === 'reconcile' && before.resuming !== null && state.resuming === null;
    const changed = through && (state.report?.files.length ?? 0) > 0;
    for (const entry of state.transcript.slice(before.transcript.length))
      if (entry.kind === 'report') this.owed.push({ text: entry.text, first: changed });
    if (through && !before.stopping) this.checkReport(before, state);
  }

  /** A reconcile that is through tells each change it could see, and none twice. */
  private checkReport(before: RunState, state: RunState): void {
    const { report } = state;
    if (state.status === 'paused' || !report || report === before.report) return;
    const now = this.contents(before);
    for (const file of before.files) {
      const { path, known } = file;
      const content = now.get(path) ?? null;
      // Changed again while it was looked at: the next one tells.
      if (content !== (this.atReconcile?.get(path) ?? null)) continue;
      const told = report.files.find((f) => f.path === path);
      const kept = file.keptUnsaved ?? false;
      if (content !== known && !told && !kept && file.knownType !== 'unreadable' && !this.isNews(before, path, content))
        this.blame(`the model is not told that ${path} changed while the run stood still`);
      if (told && content === known && told.after.hash === known && told.verdict !== 'unreadable')
        this.blame(`the model is told of ${path} twice`);
    }
    const last = state.transcript.findLast((entry) => entry.kind === 'report');
    if (report.files.length > 0 && last?.text !== report.text) this.blame('a report is not in the transcript');
    for (const { path } of report.files)
      if (!report.text.includes(path) && !report.text.includes('more')) this.blame(`the report does not name ${path}`);
  }

  /** What a frozen command did belongs to its result. */
  private isNews(state: RunState, path: string, content: string | null): boolean {
    return state.frozen !== null || (content === null && fileOf(state, path)?.knownType === 'missing');
  }

  private contents(state: RunState): Map<string, string | null> {
    const { files, buffers } = this.world;
    return new Map(
      state.files.map(({ path }) => {
        const buffer = buffers.get(path);
        const disk = files.bytes(path);
        const bytes = buffer?.dirty ? encode(buffer.text, 'utf8') : disk;
        return [path, bytes ? sha256(bytes) : null];
      }),
    );
  }

  /** Nothing runs between a report and the request that has it, but what the human asked for again. */
  effect(state: RunState, stepId: string | undefined): void {
    const step = stepId === undefined ? undefined : stepOf(state, stepId);
    if (!step || step.repeatOf !== undefined || step.compensates !== undefined || !this.owed.some(({ first }) => first))
      return;
    if (state.decisions.some((d) => d.stepId === step.id && d.state === 'answered')) return;
    this.blame(`step ${step.n} has its effect before the model was told what the human changed`);
  }

  request({ messages }: ModelRequest, state: RunState | undefined): void {
    for (const problem of pairingProblems(messages)) this.blame(`request: ${problem}`);
    const said = messages.filter((message) => message.role === 'user').map((message) => message.text);
    this.checkOnce(said, state);
    const owed = this.owed;
    this.owed = [];
    for (const { text } of owed) if (!said.includes(text)) this.blame('a report is kept from the model');
    const reports = (state?.transcript ?? []).flatMap((entry) => (entry.kind === 'report' ? [entry.text] : []));
    for (const report of reports) {
      // A fork is told by its own first report what its source had been told too.
      // Of files the run has not read only the names are told: changed again, they are told in the same words.
      const again = state?.forkedFrom !== undefined || !report.includes('```');
      const times = again ? reports.filter((one) => one === report).length : 1;
      if (said.filter((text) => text === report).length !== times) this.blame('a report is told more than once');
    }
  }

  private checkOnce(said: readonly PromptMessage['text'][], state: RunState | undefined): void {
    const count = new Map<string, number>();
    for (const text of said) for (const name of text.match(NOTE) ?? []) count.set(name, (count.get(name) ?? 0) + 1);
    for (const [name, times] of count) if (times > 1) this.blame(`${name} is told ${times} times`);
    for (const note of state?.notes ?? []) {
      const [name] = note.text.match(NOTE) ?? [];
      if (name !== undefined && note.state === 'delivered' && !count.has(name))
        this.blame(`${name} is called delivered, and the model is not told`);
      if (name !== undefined && note.state === 'withdrawn' && count.has(name))
        this.blame(`${name} was taken back, and the model is told`);
    }
  }
}

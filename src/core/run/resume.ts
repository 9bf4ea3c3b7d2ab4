/** Resume and hand back: nothing runs before the world has been looked at and what only the human can answer is answered. */
import type { FileVerdict } from '../reconcile/report';
import type { Effect, RunEvent } from './events';
import { addElsewhere, rememberMade } from './elsewhere';
import { goOnResuming, openDecision, pump, rest as stopInstead } from './flow';
import { frozenIsOver } from './frozenQuestion';
import type { FileRecord, RunState, Step } from './state';
import { cancelPending, fileOf, ownLines, pendingSteps, say, setFile, setPhase } from './update';

type Resume = Extract<RunEvent, { type: 'resumeRequested' }>;
type Reconciled = Extract<RunEvent, { type: 'reconciled' }>;

export function onResume(s: RunState, event: Resume, at: number): Effect[] {
  if (event.via === 'resume' && s.status === 'running' && s.inFlight?.kind === 'retry') {
    // A resume during the wait asks at once.
    return [{ type: 'interrupt', how: 'end' }];
  }
  const fits = event.via === 'resume' ? s.status === 'paused' : s.status === 'humanControl';
  if (!fits) return [];
  s.resuming = { via: event.via, ...(event.note ? { note: event.note } : {}) };
  s.reason = null;
  // The wait that a restart has kept ends here, and tries are counted anew.
  s.retry = null;
  s.control = 'agent';
  say(s, { kind: 'remark', text: event.via === 'resume' ? 'Resumed.' : 'Handed back.', at });
  return goOnResuming(s, at);
}

/** The file goes on under its new name: known there, not read, and the human's lines stay theirs. */
function followRename(s: RunState, from: string, to: string, { owned, renamed }: FileVerdict): void {
  const old = fileOf(s, from);
  if (fileOf(s, to) || !renamed) return;
  const { ignored } = old ?? {};
  const record: FileRecord = {
    ...{ path: to, known: renamed.hash, knownSize: renamed.size, knownType: 'file', by: 'human', human: true },
    ...(ignored ? { ignored } : {}),
    ...(owned ? { owned } : {}),
  };
  s.files = [...s.files, record];
}

/** The run knows now what it was told: the next report starts from here. The base of writes does not move. */
function learn(s: RunState, event: Reconciled): void {
  for (const file of event.report.files) {
    const change: Partial<FileRecord> = {
      // What cannot be read now is not forgotten: what the human wrote there meanwhile is told from it when it can be.
      ...(file.verdict === 'unreadable' ? {} : { known: file.after.hash, knownSize: file.after.size }),
      knownType: file.after.type as FileRecord['knownType'],
      by: 'human',
      human: true,
    };
    if (file.verdict === 'humanDeleted' || file.verdict === 'humanRenamed') change.deletedByHuman = true;
    if (file.newPath !== undefined) change.renamedTo = file.newPath;
    setFile(s, file.path, change);
    if (file.verdict !== 'unreadable') ownLines(s, file.path, file.newPath === undefined ? file.owned : undefined);
    if (file.newPath !== undefined) followRename(s, file.path, file.newPath, file);
  }
  for (const file of s.files) {
    if (!file.keptUnsaved && !event.keptUnsaved.includes(file.path)) continue;
    setFile(s, file.path, { keptUnsaved: event.keptUnsaved.includes(file.path) });
  }
  for (const path of event.keptUnsaved) {
    if (fileOf(s, path)) continue;
    const blank: FileRecord = { path, known: null, knownSize: 0, knownType: 'file', keptUnsaved: true, by: 'human' };
    s.files = [...s.files, blank];
  }
}

/** An answer that the human has given already is not thrown away, nor a repeat they asked for. */
const answered = (s: RunState, step: Step): boolean =>
  step.repeatOf !== undefined ||
  s.decisions.some((d) => d.kind === 'question' && d.stepId === step.id && d.state === 'answered');

export function onReconciled(s: RunState, event: Reconciled, at: number): Effect[] {
  if (s.inFlight?.kind !== 'reconcile') return [];
  s.inFlight = null;
  s.report = event.report;
  if (s.stopping) {
    // The next look starts from this one: what it found is kept until it is told.
    addElsewhere(s, event.report.elsewhere?.changes ?? []);
    return stopInstead(s, at);
  }
  if (event.asks.length > 0) {
    addElsewhere(s, event.report.elsewhere?.changes ?? []);
    for (const request of event.asks) openDecision(s, request, at);
    // It has died while the world was looked at.
    if (s.frozen === null) frozenIsOver(s);
    s.status = 'needsHuman';
    setPhase(s, 'waitingForCallback', at);
    return [];
  }
  const told = event.report.text !== '';
  const noted = s.notes.some((n) => n.state === 'queued');
  learn(s, event);
  rememberMade(s, event.report.elsewhere?.changes ?? []);
  s.elsewhere = [];
  s.git = event.git;
  s.resuming = null;
  s.stale = false;
  const elsewhere = event.report.elsewhere?.changes ?? [];
  // What a command of the run may have made itself is told, and keeps no planned call from running.
  const own =
    elsewhere.length > 0 &&
    elsewhere.every((one) => one.background) &&
    event.report.files.length === 0 &&
    event.report.git === undefined &&
    event.report.note === undefined;
  if (!s.model.fixed && ((told && !own) || noted)) {
    const pending = pendingSteps(s).filter((step) => !answered(s, step));
    // A note alone is no change of the workspace.
    const changed =
      told &&
      (event.report.files.length > 0 || event.report.git !== undefined || elsewhere.some((one) => !one.background));
    const words = changed
      ? 'the workspace changed while the run stood still; see the report below.'
      : 'the human sent a correction; see below.';
    cancelPending(s, pending, changed ? 'worldChanged' : 'steered', words, at);
  }
  if (told) say(s, { kind: 'report', text: event.report.text, at });
  s.status = 'running';
  s.reason = null;
  if (s.frozen !== null) {
    const stepId = s.frozen;
    s.frozen = null;
    s.inFlight = { kind: 'step', stepId };
    setPhase(s, 'callingExternal', at);
    return [{ type: 'thaw', stepId }];
  }
  return pump(s, at);
}

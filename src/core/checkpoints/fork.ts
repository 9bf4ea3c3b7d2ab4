/** A fork: the state of a new run that stands where another stood at one of its boundaries. Pure. */
import { noteLate } from '../run/answeredLate';
import { askUnknown } from '../run/flow';
import { initial } from '../run/initial';
import type { Entry, Note, RunState, Step } from '../run/state';
import { changeFiles, seeFile } from '../run/update';
import { nameOf } from './history';
import type { CheckpointRef } from './types';
import { ofTheirParent, tellUndone, undoneLater } from './undone';

export interface ForkRequest {
  runId?: string;
  /** Default: the last. */
  checkpoint?: CheckpointRef;
  /** Queued in the fork: delivered ahead of its first request. */
  note?: string;
}

/** Ids begin with the run they belong to. */
const renamer =
  (from: string, to: string) =>
  (id: string): string =>
    id.startsWith(`${from}/`) ? to + id.slice(from.length) : id;

/** Steps up to the boundary; those planned by the same reply stand there not started, as they did then. */
function stepsAt(source: RunState, n: number, rename: (id: string) => string): Step[] {
  const reply = source.steps.slice(0, n).findLast((step) => step.compensates === undefined)?.reply;
  const planned = source.steps.slice(n).filter((step) => step.compensates === undefined && step.reply === reply);
  return [
    // Its journal counts anew: what was done by then lies before its first record.
    ...source.steps.slice(0, n).map((step) => ({
      ...step,
      id: rename(step.id),
      ...(step.seq ? { seq: 0 } : {}),
      ...(step.compensates === undefined ? {} : { compensates: rename(step.compensates) }),
      ...undoneLater(source, n, step),
    })),
    ...planned.map((step): Step => {
      const { id, n: number, callId, reply: of, tool, args, title, effectKind } = step;
      return {
        ...{ id: rename(id), n: number, callId, reply: of, tool, args, title, effectKind },
        ...(step.badArgs === undefined ? {} : { badArgs: step.badArgs }),
        ...(step.delayMs === undefined ? {} : { delayMs: step.delayMs }),
        ...(step.onConflict ? { onConflict: step.onConflict } : {}),
        ...(step.undo ? { undo: step.undo } : {}),
        ...{ outcome: 'notStarted', effect: 'notStarted', changes: [] },
      };
    }),
  ];
}

/**
 * Entries up to the result of step `n`; a call whose result came later, or never, has the one it is known by. One whose effect is
 * unknown gets its one result with the human's answer, as where it was made.
 */
function transcriptAt(source: RunState, n: number, rename: (id: string) => string): Entry[] {
  const kept = new Set(source.steps.slice(0, n).map((step) => step.id));
  const open = new Set(source.steps.filter((step) => step.outcome === 'unknown').map((step) => step.id));
  const last = source.transcript.findLastIndex(
    (entry) =>
      (entry.kind === 'result' && kept.has(entry.stepId)) ||
      (entry.kind === 'assistant' && entry.stepIds.some((id) => kept.has(id))),
  );
  const upTo =
    last < 0 ? source.transcript.filter((entry) => entry.kind === 'goal') : source.transcript.slice(0, last + 1);
  const entries = upTo.filter(
    (entry) => entry.kind !== 'result' || (kept.has(entry.stepId) && !open.has(entry.stepId)),
  );
  const told = new Set(entries.flatMap((entry) => (entry.kind === 'result' ? [entry.stepId] : [])));
  const untold = source.steps
    .slice(0, n)
    .filter((step) => step.compensates === undefined && !told.has(step.id) && !open.has(step.id));
  return [
    ...entries,
    ...untold.map((step): Entry => ({
      kind: 'result',
      stepId: step.id,
      text: `unknown: ${step.text ?? 'what it did is not known.'}`,
      at: step.endedAt ?? source.updatedAt,
    })),
  ].map((entry): Entry => {
    switch (entry.kind) {
      case 'assistant':
        return { ...entry, requestId: rename(entry.requestId), stepIds: entry.stepIds.map(rename) };
      case 'result':
        return { ...entry, stepId: rename(entry.stepId) };
      case 'note':
        return { ...entry, noteId: rename(entry.noteId) };
      default:
        return ofTheirParent(source, entry);
    }
  });
}

/** Notes the transcript still tells, under their ids; those in between keep the numbers dense. */
function notesAt(source: RunState, transcript: readonly Entry[], rename: (id: string) => string): Note[] {
  const told = new Set(transcript.flatMap((entry) => (entry.kind === 'note' ? [entry.noteId] : [])));
  const count = source.notes.findLastIndex((note) => told.has(rename(note.id))) + 1;
  return source.notes.slice(0, count).map((note) => {
    const id = rename(note.id);
    return { ...note, id, state: told.has(id) ? 'delivered' : 'withdrawn' };
  });
}

function planAt(source: RunState, n: number): RunState['plan'] {
  const step = source.steps.slice(0, n).findLast((one) => one.tool === 'update_plan' && one.outcome === 'done');
  return (step?.args as { items?: RunState['plan'] } | undefined)?.items ?? [];
}

/**
 * The fork of `source` at boundary `n`. Bases of files are what the run had read or written by then, so that reconcile
 * tells what is different now. Guards stay; answers given to the other run allow nothing here.
 */
export function forkOf(source: RunState, n: number, runId: string, at: number, note?: string): RunState {
  const rename = renamer(source.runId, runId);
  const transcript = transcriptAt(source, n, rename);
  const notes = notesAt(source, transcript, rename);
  const steps = stepsAt(source, n, rename);
  const { goal, engine, model, outline } = source;
  const state: RunState = {
    ...initial({ type: 'runStarted', runId, goal, engine, model, outline, files: source.unprepared ?? [] }, at),
    schemaVersion: source.schemaVersion,
    status: 'paused',
    reason: { code: 'fork', text: `Forked at ${nameOf(n)}. Resume looks at the files first, then goes on from there.` },
    phase: null,
    inFlight: null,
    steps,
    transcript: [
      ...transcript,
      { kind: 'remark', text: `Forked from the run “${goal}” at ${nameOf(n)}.`, at },
      ...tellUndone(steps, transcript, source.runId, model.fixed, at),
    ],
    plan: planAt(source, n),
    notes:
      note === undefined
        ? notes
        : [...notes, { id: `${runId}/n${notes.length + 1}`, text: note, state: 'queued', now: false, at }],
    // What the human has forbidden stays forbidden.
    guards: (source.guards ?? []).map((guard) => ({
      ...guard,
      id: rename(guard.id),
      ...(guard.heldAt === undefined ? {} : { heldAt: rename(guard.heldAt) }),
    })),
    prepared: source.prepared ?? [],
    forkedFrom: { runId: source.runId, checkpoint: n },
    git: source.git,
    replies: transcript.filter((entry) => entry.kind === 'assistant' && !entry.interrupted).length,
  };
  if (!source.unprepared) delete state.unprepared;
  for (const step of steps) noteLate(state, step.id);
  for (const seen of source.prepared ?? []) seeFile(state, seen);
  for (const step of source.steps.slice(0, n)) {
    for (const seen of step.seen ?? []) seeFile(state, seen);
    changeFiles(state, step.changes, step.effect);
  }
  for (const step of steps) if (step.outcome === 'unknown') askUnknown(state, step, at);
  return state;
}

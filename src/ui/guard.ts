/** Where nothing may run, the core is asked nothing that would start something. Pure. */
import type { HoldfastCore } from '../core/api';
import type { Refusal } from '../core/errors';

export const NO_FOLDER: Refusal = {
  refused: true,
  code: 'noFolder',
  message: 'No folder is open: open one, then start the run in it.',
};
export const UNTRUSTED: Refusal = {
  refused: true,
  code: 'untrusted',
  message: 'This workspace is not trusted: trust it, then start the run.',
};
const NO_RUN: Refusal = { refused: true, code: 'noRun', message: 'There is no run here: open a folder and start one.' };

/** A core that keeps nothing and writes nothing: that of a window without a folder, or whose storage did not open. */
export function emptyCore(cannotStart: Refusal = NO_FOLDER, cannotAct: Refusal = NO_RUN): HoldfastCore {
  const noFolder = (): Promise<Refusal> => Promise.resolve(cannotStart);
  const noRun = (): Promise<Refusal> => Promise.resolve(cannotAct);
  return {
    startRun: noFolder,
    pause: noRun,
    abort: noRun,
    takeOver: noRun,
    forceStop: noRun,
    killCommand: noRun,
    resume: noRun,
    handBack: noRun,
    steer: noRun,
    withdrawNote: noRun,
    editNote: noRun,
    addGuard: noRun,
    removeGuard: noRun,
    decide: noRun,
    deleteRun: noRun,
    pinRun: noRun,
    takeControlHere: noRun,
    restoreCheckpoint: noRun,
    undoRestore: noRun,
    compensate: noRun,
    forkRun: noRun,
    exportRun: noRun,
    importRun: noFolder,
    heldBy: () => undefined,
    current: () => undefined,
    get: () => undefined,
    load: () => Promise.resolve(undefined),
    runs: () => [],
    onDidChange: () => () => undefined,
    settled: (runId) => Promise.reject(new Error(`no such run: ${runId}`)),
    content: () => Promise.resolve(undefined),
    text: () => Promise.resolve(undefined),
    proposed: () => Promise.resolve(undefined),
    conflictText: () => Promise.resolve(undefined),
    humanLines: () => Promise.resolve([]),
    dispose: () => Promise.resolve(),
  };
}

/**
 * In an untrusted workspace nothing starts or goes on; stopping, reading and answering what is already settled stay
 * possible. Trust may be granted while the window is open, so it is asked each time.
 */
export function guarded(core: HoldfastCore, trusted: () => boolean): HoldfastCore {
  const whenTrusted =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>): ((...given: A) => Promise<R | Refusal>) =>
    (...given) =>
      trusted() ? call(...given) : Promise.resolve(UNTRUSTED);
  return {
    startRun: whenTrusted((options) => core.startRun(options)),
    resume: whenTrusted((target) => core.resume(target)),
    handBack: whenTrusted((target) => core.handBack(target)),
    decide: whenTrusted((answer) => core.decide(answer)),
    steer: whenTrusted((note) => core.steer(note)),
    restoreCheckpoint: whenTrusted((request) => core.restoreCheckpoint(request)),
    undoRestore: whenTrusted((request) => core.undoRestore(request)),
    compensate: whenTrusted((target) => core.compensate(target)),
    forkRun: whenTrusted((request) => core.forkRun(request)),
    importRun: whenTrusted((request) => core.importRun(request)),
    pause: (target) => core.pause(target),
    abort: (target) => core.abort(target),
    takeOver: (target) => core.takeOver(target),
    forceStop: (target) => core.forceStop(target),
    killCommand: (target) => core.killCommand(target),
    withdrawNote: (target) => core.withdrawNote(target),
    editNote: (note) => core.editNote(note),
    addGuard: (guard) => core.addGuard(guard),
    removeGuard: (target) => core.removeGuard(target),
    deleteRun: (target) => core.deleteRun(target),
    pinRun: (target) => core.pinRun(target),
    exportRun: (request) => core.exportRun(request),
    takeControlHere: () => core.takeControlHere(),
    heldBy: () => core.heldBy(),
    current: () => core.current(),
    get: (runId) => core.get(runId),
    load: (runId) => core.load(runId),
    runs: () => core.runs(),
    onDidChange: (listener) => core.onDidChange(listener),
    settled: (runId) => core.settled(runId),
    content: (hash) => core.content(hash),
    text: (stored) => core.text(stored),
    proposed: (decisionId) => core.proposed(decisionId),
    conflictText: (decision) => core.conflictText(decision),
    humanLines: (shown) => core.humanLines(shown),
    dispose: () => core.dispose(),
  };
}

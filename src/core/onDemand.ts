/** A core that is opened by what first needs it. Pure. */
import type { HoldfastCore } from './api';

type Listener = Parameters<HoldfastCore['onDidChange']>[0];

export interface OnDemand extends HoldfastCore {
  /** Opens it now; the second call does nothing. */
  open(): Promise<void>;
}

/**
 * Until it is open there is no run: nothing is current, and the list is empty. `make` is called once, and must not reject.
 */
export function onDemand(make: () => Promise<HoldfastCore>): OnDemand {
  let opened: HoldfastCore | undefined;
  let opening: Promise<HoldfastCore> | undefined;
  const listeners = new Map<Listener, () => void>();
  const open = (): Promise<HoldfastCore> =>
    (opening ??= make().then((core) => {
      opened = core;
      for (const listener of listeners.keys()) listeners.set(listener, core.onDidChange(listener));
      return core;
    }));
  return {
    open: () => open().then(() => undefined),
    startRun: (options) => open().then((core) => core.startRun(options)),
    pause: (target) => open().then((core) => core.pause(target)),
    abort: (target) => open().then((core) => core.abort(target)),
    takeOver: (target) => open().then((core) => core.takeOver(target)),
    forceStop: (target) => open().then((core) => core.forceStop(target)),
    killCommand: (target) => open().then((core) => core.killCommand(target)),
    resume: (target) => open().then((core) => core.resume(target)),
    handBack: (target) => open().then((core) => core.handBack(target)),
    steer: (note) => open().then((core) => core.steer(note)),
    withdrawNote: (target) => open().then((core) => core.withdrawNote(target)),
    editNote: (note) => open().then((core) => core.editNote(note)),
    addGuard: (guard) => open().then((core) => core.addGuard(guard)),
    removeGuard: (target) => open().then((core) => core.removeGuard(target)),
    decide: (answer) => open().then((core) => core.decide(answer)),
    deleteRun: (target) => open().then((core) => core.deleteRun(target)),
    takeControlHere: () => open().then((core) => core.takeControlHere()),
    pinRun: (target) => open().then((core) => core.pinRun(target)),
    restoreCheckpoint: (request) => open().then((core) => core.restoreCheckpoint(request)),
    undoRestore: (request) => open().then((core) => core.undoRestore(request)),
    compensate: (target) => open().then((core) => core.compensate(target)),
    forkRun: (request) => open().then((core) => core.forkRun(request)),
    exportRun: (request) => open().then((core) => core.exportRun(request)),
    importRun: (request) => open().then((core) => core.importRun(request)),
    load: (runId) => open().then((core) => core.load(runId)),
    settled: (runId) => open().then((core) => core.settled(runId)),
    content: (hash) => open().then((core) => core.content(hash)),
    text: (stored) => open().then((core) => core.text(stored)),
    proposed: (decisionId) => open().then((core) => core.proposed(decisionId)),
    conflictText: (decision) => open().then((core) => core.conflictText(decision)),
    // Without a run no line is anybody's: not what opens it.
    humanLines: (shown) => opened?.humanLines(shown) ?? Promise.resolve([]),
    heldBy: () => opened?.heldBy(),
    current: () => opened?.current(),
    get: (runId) => opened?.get(runId),
    runs: () => opened?.runs() ?? [],
    onDidChange: (listener) => {
      const once: Listener = (state) => listener(state);
      listeners.set(once, opened?.onDidChange(once) ?? (() => undefined));
      return () => {
        listeners.get(once)?.();
        listeners.delete(once);
      };
    },
    // What never opened has nothing to close.
    dispose: () => opening?.then((core) => core.dispose()) ?? Promise.resolve(),
  };
}

/** A core that is opened by what first needs it. Pure. */
import type { HoldfastCore } from './api';

type Listener = Parameters<HoldfastCore['onDidChange']>[0];

/** What opens it and is then asked of it, all alike: one by one they would be most of the code of a quick start. */
const LATER = [
  'startRun',
  'pause',
  'abort',
  'takeOver',
  'forceStop',
  'killCommand',
  'resume',
  'handBack',
  'steer',
  'withdrawNote',
  'editNote',
  'addGuard',
  'removeGuard',
  'decide',
  'deleteRun',
  'takeControlHere',
  'pinRun',
  'restoreCheckpoint',
  'undoRestore',
  'compensate',
  'forkRun',
  'exportRun',
  'importRun',
  'load',
  'settled',
  'content',
  'text',
  'proposed',
  'conflictText',
] as const satisfies readonly (keyof HoldfastCore)[];

type Call = (given: never) => Promise<unknown>;

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
  const later = Object.fromEntries(
    LATER.map((name) => [name, (given: never) => open().then((core) => (core[name] as Call)(given))]),
  ) as unknown as Pick<HoldfastCore, (typeof LATER)[number]>;
  return {
    open: () => open().then(() => undefined),
    ...later,
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

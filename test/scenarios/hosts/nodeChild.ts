/** The process that holds the core for the node host: composes it with its Node adapters and does what its parent says. */
import type { HoldfastCore } from '../../../src/core/api';
import { HoldProbe } from '../../../src/core/holdProbe';
import { openHoldfast } from '../../../src/core/holdfast';
import { ShiftedClock } from '../../../src/node/clock';
import { Faults } from '../../../src/node/faults';
import { Digester } from '../digest';
import { armFault } from './nodeFaults';
import { nodePorts } from './nodePorts';
import type { Ask, OpenOptions, ToChild, ToParent } from './messages';

class NotThere extends Error {}

const probe = new HoldProbe();
const clock = new ShiftedClock();
const faults = new Faults();
const digester = new Digester();
let opened: { core: HoldfastCore; options: OpenOptions } | undefined;

function tell(message: ToParent): void {
  if (process.connected) process.send?.(message);
}

function digest(core: HoldfastCore, runId: string | undefined): void {
  const state = runId === undefined ? undefined : core.get(runId);
  if (state) tell({ digest: digester.digest(state, core.current()?.runId) });
}

async function open(options: OpenOptions): Promise<void> {
  const log = (line: string): void => tell({ log: line });
  const core = await openHoldfast(nodePorts(options, { probe, clock, faults, log }));
  opened = { core, options };
  core.onDidChange((state) => tell({ digest: digester.digest(state, core.current()?.runId) }));
  // oldest first, so that the newest is the last one asked for
  for (const { runId } of [...core.runs()].reverse()) {
    await core.load(runId);
    digest(core, runId);
  }
}

async function command(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { core } = here();
  const method = (core as unknown as Record<string, unknown>)[name];
  if (typeof method !== 'function') throw new NotThere(name);
  const answer: unknown = await (method as (args: unknown) => Promise<unknown>).call(core, args);
  // what the answer tells is seen before the answer itself
  const { runId } = (answer ?? {}) as { runId?: string };
  for (const id of new Set([runId, core.current()?.runId])) digest(core, id);
  return answer;
}

function here(): { core: HoldfastCore; options: OpenOptions } {
  if (!opened) throw new Error('the core is not open');
  return opened;
}

async function answer(ask: Ask): Promise<unknown> {
  switch (ask.op) {
    case 'open':
      return open(ask.options);
    case 'command':
      return command(ask.name, ask.args);
    case 'state':
      return here().core.get(ask.runId) ?? here().core.load(ask.runId);
    case 'current':
      return here().core.current()?.runId;
    case 'runs':
      return here().core.runs();
    case 'hold':
      return probe.hold(ask.point, ask.step ?? undefined);
    case 'release':
      return probe.release(ask.point, ask.step ?? undefined);
    case 'fault':
      return armFault(faults, ask.fault, here().options);
    case 'clock':
      return clock.advance(ask.advanceMs);
  }
}

probe.onHeld = (held) => tell({ held });
process.on('message', (ask: ToChild) => {
  answer(ask).then(
    (value) => tell({ id: ask.id, value }),
    (error: unknown) => {
      const notBuilt = error instanceof NotThere;
      const problem =
        error instanceof Error ? (notBuilt ? error.message : (error.stack ?? error.message)) : String(error);
      tell({ id: ask.id, problem, notBuilt });
    },
  );
});
// nobody is left to ask for anything, also when the parent was killed
process.on('disconnect', () => process.exit(1));

/** A system elsewhere with tools of its own: what a call did there stays, whatever becomes of the answer. */
import type { CallEnd, ServerTool, ToolServers, ToolSession, Verdict } from '../../src/core/tools/toolServers';
import type { SimClock } from './clock';
import type { Random } from './random';
import type { Turns } from './turns';

const tool = (name: string, contract: Partial<ServerTool['contract']>): ServerTool => ({
  name: `mcp.remote.${name}`,
  server: 'remote',
  description: name,
  parameters: { type: 'object' },
  contract: { effect: 'external', cancel: 'verify', retry: 'unsafe', phase: 'callingExternal', ...contract },
  harmless: false,
  fingerprint: name,
});

const undo = { tool: 'take', with: { word: 'undo-${word}' } };
const TOOLS = [
  tool('look', { effect: 'none', cancel: 'now', retry: 'safe' }),
  tool('put', { verifiable: true, compensate: undo }),
  tool('send', { cancel: 'never', compensate: undo }),
  tool('take', { verifiable: true }),
];

interface Sent {
  callId: string;
  word: string;
}

export class SimServers implements ToolServers {
  /** Called in the moment a call has its effect. */
  onEffect: ((callId: string) => void) | undefined;
  /** What was done, in order. */
  readonly ledger: Sent[] = [];
  /** Under way to the other side. */
  private readonly sent = new Set<Sent>();

  constructor(
    private readonly turns: Turns,
    private readonly clock: SimClock,
    private readonly random: Random,
  ) {}

  /** The host dies; what was sent may still arrive. */
  crash(): void {
    for (const call of [...this.sent]) this.arrive(call, this.random.below(2) === 0);
  }

  async open(): Promise<ToolSession> {
    await this.turns.take();
    return {
      ready: () => this.turns.take(),
      tools: () => TOOLS,
      whyNot: (name) => `There is no tool "${name}".`,
      call: (callId, { contract }, { word }, signal) =>
        this.call({ callId, word: String(word) }, contract.effect !== 'none', signal),
      verify: (callId) => this.verify(callId),
      end: () => this.turns.take().then(() => []),
    };
  }

  private async call(call: Sent, acts: boolean, signal: AbortSignal): Promise<CallEnd> {
    const cut = { kind: 'cut', text: 'The cancel was sent.' } as const;
    const stopped = new Promise<true>((resolve) =>
      signal.addEventListener('abort', () => resolve(true), { once: true }),
    );
    const wait = (work: Promise<unknown>): Promise<boolean> => Promise.race([work.then(() => false), stopped]);
    if (signal.aborted) return cut;
    const luck = this.random.below(12);
    if (luck === 0) return { kind: 'refused', text: 'No.' };
    if (acts) this.sent.add(call);
    if (await wait(this.turns.take())) {
      this.arrive(call, this.random.below(2) === 0);
      return cut;
    }
    this.arrive(call, luck !== 1);
    if (luck < 3) return { kind: 'lost', text: 'The connection was lost.' };
    const late = new Promise<void>((resolve) => this.clock.after(30_000, resolve));
    if (await wait(luck === 3 ? late : this.turns.take())) return cut;
    return { kind: 'answered', isError: luck === 4, text: 'So.' };
  }

  private arrive(call: Sent, does: boolean): void {
    if (!this.sent.delete(call) || !does) return;
    this.ledger.push(call);
    this.onEffect?.(call.callId);
  }

  private async verify(callId: string): Promise<Verdict> {
    await this.turns.take();
    const happened = this.ledger.some((call) => call.callId === callId);
    if (this.random.below(4) === 0) return { verdict: 'unknown', proof: 'It cannot be read now.' };
    return { verdict: happened ? 'happened' : 'didNotHappen', proof: 'The ledger was read.' };
  }
}

/** A scripted model: a brain says what is answered, the model streams it. A reply that was cut off is given again. */
import type {
  EngineRef,
  Model,
  ModelEvent,
  ModelInfo,
  ModelRequest,
  Models,
  PromptMessage,
} from '../../src/core/ports';
import type { ModelError } from '../../src/core/errors';
import type { Turns } from './turns';

export interface Reply {
  text?: string;
  calls?: {
    tool: string;
    args?: unknown;
    argsText?: string;
    title?: string;
    delayMs?: number;
    pauseBefore?: boolean;
    onConflict?: 'ask' | 'skip' | 'stop';
    undo?: { tool: string; args: unknown };
  }[];
  /** Instead of calls. */
  error?: ModelError;
}

export interface Brain {
  readonly info: ModelInfo;
  /** undefined: it has nothing to say yet, and is asked again with each `SimModels.wake`. */
  answer(request: ModelRequest): Reply | undefined;
  /** The reply of `answer` was given whole. */
  said?(reply: Reply): void;
}

export const modelInfo = (change: Partial<ModelInfo> = {}): ModelInfo => ({
  provider: 'sim',
  label: 'scripted',
  fixed: false,
  files: [],
  outline: [],
  ...change,
});

/** Says these replies one after another, then "Done." for good. */
export class ListBrain implements Brain {
  private at = 0;

  constructor(
    private readonly replies: readonly Reply[],
    readonly info: ModelInfo = modelInfo(),
  ) {}

  answer({ replyIndex }: ModelRequest): Reply {
    return this.replies[this.info.fixed ? replyIndex : this.at] ?? { text: 'Done.' };
  }

  said(): void {
    this.at += 1;
  }
}

/** What is wrong with the calls and results of a request, in words. */
export function pairingProblems(messages: readonly PromptMessage[]): string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const expected = open.shift();
      if (expected !== message.callId)
        wrong.push(`a result of ${message.callId} where one of ${expected ?? 'none'} belongs`);
      continue;
    }
    if (open.length > 0) wrong.push(`no result of ${open.join(', ')}`);
    open = message.role === 'assistant' ? message.calls.map((call) => call.callId) : [];
    for (const id of open) {
      if (seen.has(id)) wrong.push(`two calls ${id}`);
      seen.add(id);
    }
  }
  if (open.length > 0) wrong.push(`no result of ${open.join(', ')} at the end`);
  return wrong;
}

export class SimModels implements Models {
  readonly requests: ModelRequest[] = [];
  /** Called with each request as it is sent. */
  onRequest: ((request: ModelRequest) => void) | undefined;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly turns: Turns,
    private readonly brain: Brain,
  ) {}

  wake(): void {
    for (const go of this.waiting.splice(0)) go();
  }

  /** Nobody who waits for an answer is there any more. */
  drop(): void {
    this.waiting = [];
  }

  async open(): Promise<Model> {
    await this.turns.take();
    return { info: this.brain.info, ask: (request, signal) => this.ask(request, signal) };
  }

  defaultRef(): Promise<EngineRef> {
    return Promise.resolve({ kind: 'model', provider: 'sim' });
  }

  private async *ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    this.requests.push(request);
    this.onRequest?.(request);
    const stopped = new Promise<true>((resolve) =>
      signal.addEventListener('abort', () => resolve(true), { once: true }),
    );
    const turn = (): Promise<boolean> => Promise.race([this.turns.take().then(() => false), stopped]);
    if (signal.aborted || (await turn())) return;
    let reply = this.brain.answer(request);
    while (!reply) {
      const woken = new Promise<false>((resolve) => this.waiting.push(() => resolve(false)));
      if (await Promise.race([woken, stopped])) return;
      reply = this.brain.answer(request);
    }
    for (const delta of reply.text?.match(/.{1,12}/gsu) ?? []) {
      yield { type: 'text', delta };
      if (await turn()) return;
    }
    if (await turn()) return;
    this.brain.said?.(reply);
    if (reply.error) {
      yield { type: 'error', error: reply.error };
      return;
    }
    const calls = (reply.calls ?? []).map(({ args, argsText, ...more }) => ({
      ...more,
      argsText: argsText ?? JSON.stringify(args),
    }));
    yield { type: 'end', calls };
  }
}

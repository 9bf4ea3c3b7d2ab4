/** A whole reply of the model becomes an entry of the transcript and its calls become steps. Pure. */
import { contractOf } from '../tools/kinds';
import { titleOf } from '../tools/titles';
import type { RunEvent } from './events';
import type { RunState, Step } from './state';
import { say, stepId } from './update';

export function takeReply(s: RunState, event: Extract<RunEvent, { type: 'modelReplied' }>, at: number): void {
  const reply = s.transcript.length;
  const steps = event.calls.map((call, index): Step => {
    const n = s.steps.length + index + 1;
    const parsed = parseArgs(call.argsText);
    return {
      id: stepId(s.runId, n),
      n,
      callId: `call_${n}`,
      reply,
      tool: call.tool,
      args: parsed.args,
      ...(parsed.bad === undefined ? {} : { badArgs: parsed.bad }),
      title: call.title ?? titleOf(call.tool, parsed.args),
      outcome: 'notStarted',
      effect: 'notStarted',
      effectKind: contractOf(call.tool).effect,
      changes: [],
      ...(call.delayMs === undefined ? {} : { delayMs: call.delayMs }),
      ...(call.pauseBefore ? { pauseBefore: true } : {}),
      ...(call.onConflict ? { onConflict: call.onConflict } : {}),
      ...(call.undo ? { undo: call.undo } : {}),
    };
  });
  const text = s.partial?.text ?? '';
  s.partial = null;
  s.retry = null;
  s.replies += 1;
  if (event.usage) {
    s.usage = {
      inputTokens: s.usage.inputTokens + event.usage.inputTokens,
      outputTokens: s.usage.outputTokens + event.usage.outputTokens,
    };
  }
  say(s, {
    kind: 'assistant',
    requestId: event.requestId,
    text,
    stepIds: steps.map((x) => x.id),
    interrupted: false,
    at,
  });
  s.steps = [...s.steps, ...steps];
}

/** JSON text of a call's arguments; an empty text means no arguments. */
function parseArgs(text: string): { args: unknown; bad?: string } {
  if (text.trim() === '') return { args: {} };
  try {
    return { args: JSON.parse(text) as unknown };
  } catch {
    return { args: undefined, bad: text };
  }
}

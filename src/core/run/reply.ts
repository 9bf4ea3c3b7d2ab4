/** A whole reply of the model becomes an entry of the transcript and its calls become steps. Pure. */
import { contractOf } from '../tools/kinds';
import { titleOf } from '../titles';
import type { RunEvent } from './events';
import { appended } from './lists';
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
  s.steps = appended(s.steps, ...steps);
}

/** No tool has arguments anywhere near as deep. What is deeper can be parsed but not written: neither stored nor sent again. */
const MAX_DEPTH = 100;

/** Brackets in texts do not count. */
export function nestsTooDeep(json: string): boolean {
  let depth = 0;
  let inText = false;
  // By hand: a pattern would need a stack as large as a text in it.
  for (let i = 0; i < json.length; i += 1) {
    const mark = json[i];
    if (inText) {
      if (mark === '\\') i += 1;
      else if (mark === '"') inText = false;
    } else if (mark === '"') inText = true;
    else if (mark === '[' || mark === '{') depth += 1;
    else if (mark === ']' || mark === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** JSON text of a call's arguments; an empty text means no arguments. */
function parseArgs(text: string): { args: unknown; bad?: string } {
  if (text.trim() === '') return { args: {} };
  if (nestsTooDeep(text)) return { args: undefined, bad: text };
  try {
    return { args: JSON.parse(text) as unknown };
  } catch {
    return { args: undefined, bad: text };
  }
}

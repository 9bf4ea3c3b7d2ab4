import type { CallRequest, Model, ModelEvent, ModelInfo, ModelRequest } from '../../core/ports';
import type { Playbook, PlaybookStep } from './types';

/** Drives a run by a playbook: reply k is step k. It needs no service, and cannot adapt. */
export class PlaybookModel implements Model {
  readonly info: ModelInfo;

  /** `label`: the file's name. */
  constructor(
    private readonly playbook: Playbook,
    label: string,
  ) {
    this.info = {
      provider: 'playbook',
      label,
      goal: playbook.goal,
      fixed: true,
      files: filesOf(playbook),
      outline: playbook.steps.map((step) => step.title),
    };
  }

  async *ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    // A turn of the event loop for each step: a playbook of quick steps must not keep a stop from being heard.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (signal.aborted) return;
    const step = this.playbook.steps[request.replyIndex];
    if (!step) {
      yield { type: 'text', delta: 'All steps of the playbook are done.' };
      if (!signal.aborted) yield { type: 'end', calls: [] };
      return;
    }
    yield { type: 'end', calls: [toCall(step)] };
  }
}

function toCall(step: PlaybookStep): CallRequest {
  return {
    tool: step.tool,
    argsText: JSON.stringify(step.with),
    title: step.title,
    ...(step.delay_s === undefined ? {} : { delayMs: Math.round(step.delay_s * 1000) }),
    ...(step.pauseBefore === undefined ? {} : { pauseBefore: step.pauseBefore }),
    ...(step.onConflict === undefined ? {} : { onConflict: step.onConflict }),
    ...(step.undo === undefined ? {} : { undo: { tool: step.undo.tool, args: step.undo.with } }),
  };
}

/** Files that exist before a step can use them: `path` and `from`, not `to`. The path of `list_files` is a folder. */
function filesOf(playbook: Playbook): string[] {
  const files = new Set<string>();
  for (const step of playbook.steps) {
    if (step.tool === 'list_files') continue;
    for (const path of [step.with['path'], step.with['from']])
      if (typeof path === 'string' && path !== '') files.add(path);
  }
  return [...files];
}

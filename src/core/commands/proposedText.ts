/** The change an open approval is about, where none of it is stored: made anew for the eye of the human, and kept nowhere. */
import type { Ports } from '../ports';
import { isJson, NOT_KEPT } from '../secretArgs';
import type { RunState } from '../run/state';
import { toLf } from '../reconcile/lines';
import { display } from '../reconcile/text';
import { fileOf } from '../run/update';
import { planWrite, type Proposal } from '../tools/write';
import { look } from '../world';

function proposalOf(tool: string, args: unknown): Proposal | undefined {
  if (!isJson(args)) return undefined;
  const { content, old_text: old, new_text: next, all } = args;
  if ([content, old, next].includes(NOT_KEPT)) return undefined;
  if (tool === 'write_file' && typeof content === 'string') return { tool, content };
  if (tool === 'edit_file' && typeof old === 'string' && typeof next === 'string')
    return { tool, old, next, all: all === true };
  return undefined;
}

/** Both texts as they are to be looked at. undefined: nothing is asked any more, or the call was not kept. */
export async function proposedText(
  ports: Pick<Ports, 'files' | 'buffers' | 'hash'>,
  state: RunState | undefined,
  decisionId: string,
): Promise<{ before: string; after: string } | undefined> {
  const decision = state?.decisions.find((d) => d.id === decisionId);
  const step = state?.steps.find((one) => one.id === decision?.stepId);
  const proposal = step && proposalOf(step.tool, step.args);
  if (!state || decision?.state !== 'pending' || decision.path === undefined || !proposal) return undefined;
  const now = await look(ports, decision.path);
  const record = fileOf(state, decision.path);
  const base = record?.base === now.hash ? now.view?.text : undefined;
  const plan = planWrite({ now, record, base, proposal });
  if (plan.kind !== 'write') return undefined;
  const shown = (text: string): string => display(toLf(text));
  return { before: shown(now.view?.text ?? ''), after: shown(plan.text) };
}

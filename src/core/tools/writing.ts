/** Tools that write files: each change is planned on what is there now, journalled, then made atomically. */
import { inWords, type Owned } from '../reconcile/owned';
import { decode, encode, type Encoding } from '../reconcile/text';
import type { Decision } from '../run/state';
import { fileOf } from '../run/update';
import { look, whyNot, type Look } from '../world';
import { approve } from './approval';
import { ARGS } from './args';
import { filesPlan, fingerprint, keep } from './filePlan';
import { aboutLines, lineWarning, ownedNow, written } from './ownership';
import { reasonsToAsk, whyProtected } from './policy';
import { resolved } from './reading';
import { decisionOf, done, refused, type Plan, type Tool, type ToolContext } from './tool';
import { unshownWords } from './unshown';
import { byHand, editOfBase, planWrite, type Proposal } from './write';

/** Read as the file is read now. */
async function textOfBlob(
  context: ToolContext,
  hash: string | null | undefined,
  now: Look,
): Promise<string | undefined> {
  if (!hash) return undefined;
  const bytes = await context.ports.store.blobs.get(hash);
  return bytes && decode(bytes, now.view?.encoding)?.text;
}

/** What the human's answer to a conflict makes of it. */
async function settleConflict(
  context: ToolContext,
  decision: Decision,
  facts: { now: Look; ours: string; encoding: Encoding; owned: Owned | undefined },
): Promise<Plan> {
  const { now, ours, encoding, owned } = facts;
  const { choice, text } = decision.answer ?? { choice: 'mine' };
  const write = (content: string, note: string, drafted?: string): Promise<Plan> => {
    const bytes = encode(content, encoding);
    return filesPlan(context, {
      ...{ now, bytes, text: content, note, owned },
      ...(drafted === undefined ? {} : { drafted }),
    });
  };
  switch (choice) {
    case 'agent':
      return write(ours, `Wrote ${now.path}: the human chose your text.`);
    case 'edit': {
      const mine = byHand(text, now.view);
      if ('why' in mine) return refused('encoding', `${mine.why} Nothing was written to ${now.path}.`);
      return write(mine.text, `Wrote ${now.path} with a text that the human put together.`, now.view?.text ?? '');
    }
    case 'redo':
      return refused(
        'redo',
        `The human asks you to do it again on the current text of ${now.path}; read it first. Nothing was written.`,
      );
    default:
      return refused('keptMine', `The human kept their text of ${now.path}. Nothing was written.`, {
        outcome: 'skipped',
      });
  }
}

async function planProposal(context: ToolContext, given: string, proposal: Proposal): Promise<Plan> {
  const { ports, state, step } = context;
  const where = await resolved(context, given);
  if ('error' in where) return refused(where.error.code, `${whyNot(where.error)} Nothing was written.`);
  const { path } = where;
  const kept = whyProtected(path, ports.settings, state);
  if (kept) return refused('protected', `${kept}; nothing was written.`);
  const now = await look(ports, path);
  const record = fileOf(state, path);
  const base =
    now.hash !== null && record?.base === now.hash ? now.view?.text : await textOfBlob(context, record?.base, now);
  const plan = planWrite({ now, record, base, proposal });
  const owned = plan.kind === 'write' || plan.kind === 'conflict' ? await ownedNow(context, now) : undefined;

  const conflict = async (sides: { base: string; theirs: string; ours: string; encoding: Encoding }): Promise<Plan> => {
    if (step.onConflict === 'skip')
      return refused('conflict', `Skipped: ${path} was changed by the human in the same place.`, {
        outcome: 'skipped',
      });
    if (step.onConflict === 'stop')
      return refused('conflictStop', `${path} was changed by the human in the same place; nothing was written.`);
    const bytes = encode(sides.ours, sides.encoding);
    await keep(context, path, now.bytes, bytes);
    const after = ports.hash(bytes);
    const subject = fingerprint(context, 'conflict', path, [record?.base ?? null, now.hash, after]);
    const last = decisionOf(context, 'conflict');
    if (last?.state === 'answered' && last.subject === subject) {
      return settleConflict(context, last, { now, ours: sides.ours, encoding: sides.encoding, owned });
    }
    return {
      kind: 'ask',
      request: {
        kind: 'conflict',
        stepId: step.id,
        path,
        title: `You and the agent changed the same lines of ${path}`,
        detail: `Step ${step.n} "${step.title}" overlaps with your changes. Nothing was written.`,
        choices: [
          { id: 'mine', label: 'Keep Mine' },
          { id: 'agent', label: "Take the Agent's" },
          { id: 'edit', label: 'Edit by Hand' },
          // A playbook cannot do it again.
          ...(state.model.fixed ? [] : [{ id: 'redo', label: 'Ask the Agent to Redo' }]),
        ],
        freeText: true,
        subject,
        change: { base: record?.base ?? null, before: now.hash, after },
      },
    };
  };

  switch (plan.kind) {
    case 'already':
      return done(plan.note);
    case 'refused': {
      const ours = state.model.fixed && plan.reason === 'noMatch' ? editOfBase(base, proposal) : undefined;
      if (ours !== undefined && base !== undefined && now.view) {
        return conflict({ base, theirs: now.view.text, ours, encoding: now.view.encoding });
      }
      return refused(plan.reason, plan.note);
    }
    case 'conflict':
      // A model adapts once; a playbook cannot, and the same overlap again is a question to the human.
      if (state.model.fixed || (record?.overlaps ?? 0) > 0) return conflict(plan);
      return refused('overlap', plan.note, { overlap: path });
    case 'write':
      break;
  }

  let { text, note } = plan;
  let bytes = encode(text, plan.encoding);
  let drafted: string | undefined;
  // Rule 4, on the text that would be written.
  const made = await written(context, now, owned, text);
  const { lost } = made;
  const mine = aboutLines(context, now, lost, 'change');
  const reasons = reasonsToAsk('edit', [path], ports.settings);
  if (plan.recreate) reasons.push(`You deleted ${path}; the agent wants to create it again.`);
  if (mine) reasons.push(mine.reason);
  if (reasons.length > 0) {
    const kept = await keep(context, path, now.bytes, bytes);
    const there = now.type === 'missing' ? null : { text: now.view?.text, size: now.size };
    if (!kept) reasons.push(unshownWords(there, { text, size: bytes.length }));
    const after = ports.hash(bytes);
    const verb = plan.recreate ? 'Create again' : now.type === 'missing' ? 'Create' : 'Change';
    const asked = approve(context, reasons, {
      title: mine ? `Change lines you wrote in ${path}?` : `${verb} ${path}?`,
      subject: fingerprint(context, 'write', path, [now.hash, after, ...(mine ? [inWords(mine.humanLines)] : [])]),
      path,
      ...(kept ? { change: { before: now.hash, after } } : {}),
      ...(mine ? { humanLines: mine.humanLines, detail: `${reasons.join(' ')}\n${mine.shown}`.trimEnd() } : {}),
    });
    if (!asked.granted) return asked.plan;
    const answer = asked.decision?.answer;
    if (answer?.choice === 'edit' && answer.text !== undefined) {
      const mine = byHand(answer.text, now.view);
      if ('why' in mine) return refused('encoding', `${mine.why} Nothing was written to ${path}.`);
      drafted = text;
      text = mine.text;
      bytes = encode(text, plan.encoding);
      note = `${note}\nThe human changed your text before allowing it; what was written is theirs. Read the file before you edit it again.`;
    }
  }
  if (drafted === undefined) note += lineWarning(context, path, lost);
  return filesPlan(context, {
    ...{ now, bytes, text, note, owned },
    // What they drafted is compared as it was proposed, what they wrote by hand as it is.
    made,
    ...(drafted === undefined ? {} : { drafted }),
    ...(plan.seen ? { seen: plan.seen } : {}),
  });
}

export const writeFile: Tool = {
  name: 'write_file',
  description:
    'Writes a whole text file (new, or one this run has read). What the human changed since then is merged when it is clean, else nothing is written. Line ends, byte order mark and mode of the file stay. Cancel: finishes (atomic).',
  args: ARGS.write_file,
  plan: (context, raw) => {
    const { path, content } = raw as { path: string; content: string };
    return planProposal(context, path, { tool: 'write_file', content });
  },
};

export const editFile: Tool = {
  name: 'edit_file',
  description:
    'Replaces old_text, which must occur exactly once (or set all), by new_text in the file as it is now. Prefer this over write_file. Cancel: finishes (atomic).',
  args: ARGS.edit_file,
  plan: (context, raw) => {
    const {
      path,
      old_text: old,
      new_text: next,
      all,
    } = raw as { path: string; old_text: string; new_text: string; all?: boolean };
    return planProposal(context, path, { tool: 'edit_file', old, next, all: all ?? false });
  },
};

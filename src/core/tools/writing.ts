/** Tools that change files: each change is planned on what is there now, journalled, then made atomically. */
import { FileError } from '../errors';
import { toLf } from '../reconcile/lines';
import { decode, encode, type Encoding } from '../reconcile/text';
import type { Decision, FileChange } from '../run/state';
import { fileOf } from '../run/update';
import { BLOB_LIMIT, look, whyNot, type Look } from '../world';
import { approve } from './approval';
import { ARGS } from './args';
import { isProtected, isSecret, reasonsToAsk } from './policy';
import { putBlob, resolved } from './reading';
import { decisionOf, done, refused, type Plan, type Result, type Tool, type ToolContext } from './tool';
import { editOfBase, planWrite, type Proposal } from './write';

const committed = (text: string, changes: FileChange[]): Result => ({
  outcome: 'done',
  effect: 'committed',
  text,
  changes,
});

async function textOfBlob(context: ToolContext, hash: string | null | undefined): Promise<string | undefined> {
  if (!hash) return undefined;
  const bytes = await context.ports.store.blobs.get(hash);
  return bytes && decode(bytes)?.text;
}

/** Stores both sides of a change before anything names them; secret and huge content is hashed only. */
async function keep(
  context: ToolContext,
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): Promise<boolean> {
  if (isSecret(path, context.ports.settings)) return false;
  for (const bytes of [before, after]) if (bytes && bytes.length <= BLOB_LIMIT) await putBlob(context, bytes);
  return true;
}

interface Write {
  now: Look;
  bytes: Uint8Array;
  text: string;
  note: string;
  seen?: { from: number; to: number }[];
}

/** The write itself: into the buffer where the document is dirty, else to disk. */
async function perform(context: ToolContext, { now, bytes, text, note }: Write, change: FileChange): Promise<Result> {
  const { files, buffers } = context.ports;
  const { path } = now;
  if (now.dirty) {
    if (!(await buffers.edit(path, now.dirty.version, text))) throw new FileError('changed', path);
    return committed(`${note}\nunsaved: commands see the older file (the human has unsaved text in ${path}).`, [
      change,
    ]);
  }
  // Typed since it was planned: what is there now is the buffer, and it is planned anew on that.
  if (buffers.get(path)?.dirty && (await look(context.ports, path)).dirty) throw new FileError('changed', path);
  await files.write(path, bytes, { expect: now.hash });
  // An editor that shows the file needs a moment; typing in that gap would be saved over the write.
  const settled = await buffers.settle(path, text, AbortSignal.timeout(1500));
  if (settled === 'dirty') {
    const buffer = buffers.get(path);
    const again = await look(context.ports, path);
    if (buffer && again.dirty && again.view) {
      const mended = planWrite({
        now: again,
        record: { path, base: now.hash, known: now.hash, knownSize: now.size, knownType: 'file', by: 'agent' },
        base: now.view?.text ?? '',
        proposal: { tool: 'write_file', content: text },
      });
      if (mended.kind === 'write') {
        const late = asShown({ now: again, bytes: encode(mended.text, mended.encoding), text: mended.text, note });
        return perform(context, late, {
          ...change,
          after: context.ports.hash(late.bytes),
          size: late.bytes.length,
          unsaved: true,
        });
      }
      if (mended.kind !== 'already') {
        return committed(
          `${note}\nThe human typed in the same place at the same moment: their text is in the unsaved editor.`,
          [change],
        );
      }
    }
  }
  return committed(note, [change]);
}

/** An editor has one kind of line end: what goes into it is recorded as it will stand there. */
function asShown(write: Write): Write {
  const { dirty, view } = write.now;
  if (!dirty || !view) return write;
  const text = toLf(write.text).replaceAll('\n', dirty.eol);
  return { ...write, text, bytes: encode(text, view.encoding) };
}

async function filesPlan(context: ToolContext, given: Write): Promise<Plan> {
  const write = asShown(given);
  const { now, bytes } = write;
  const hash = context.ports.hash(bytes);
  const kept = await keep(context, now.path, now.bytes, bytes);
  const change: FileChange = {
    path: now.path,
    before: now.hash,
    after: hash,
    size: bytes.length,
    ...(kept && bytes.length <= BLOB_LIMIT ? {} : { noBlob: true }),
    ...(now.dirty ? { unsaved: true } : {}),
    ...(write.seen ? { seen: write.seen } : {}),
  };
  return { kind: 'files', changes: [change], perform: () => perform(context, write, change) };
}

/** Bound to both contents: another text on either side needs another answer. */
const fingerprint = (context: ToolContext, kind: string, path: string, parts: (string | null)[]): string =>
  `${kind}:${path}:${context.ports.hash(new TextEncoder().encode(parts.map((p) => p ?? '-').join('\n'))).slice(0, 32)}`;

/** What the human's answer to a conflict makes of it. */
async function settleConflict(
  context: ToolContext,
  decision: Decision,
  facts: { now: Look; ours: string; encoding: Encoding },
): Promise<Plan> {
  const { now, ours, encoding } = facts;
  const { choice, text } = decision.answer ?? { choice: 'mine' };
  const write = (content: string, note: string): Promise<Plan> =>
    filesPlan(context, { now, bytes: encode(content, encoding), text: content, note });
  switch (choice) {
    case 'agent':
      return write(ours, `Wrote ${now.path}: the human chose your text.`);
    case 'edit':
      return write(text ?? now.view?.text ?? '', `Wrote ${now.path} with a text that the human put together.`);
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
  if (isProtected(path, ports.settings))
    return refused('protected', `${path} is protected (holdfast.protectedPaths); nothing was written.`);
  const now = await look(ports, path);
  const record = fileOf(state, path);
  const base =
    now.hash !== null && record?.base === now.hash ? now.view?.text : await textOfBlob(context, record?.base);
  const plan = planWrite({ now, record, base, proposal });

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
      return settleConflict(context, last, { now, ours: sides.ours, encoding: sides.encoding });
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
  const reasons = reasonsToAsk('edit', [path], ports.settings);
  if (plan.recreate) reasons.push(`You deleted ${path}; the agent wants to create it again.`);
  if (reasons.length > 0) {
    const kept = await keep(context, path, now.bytes, bytes);
    const after = ports.hash(bytes);
    const asked = approve(context, reasons, {
      title: `${plan.recreate ? 'Create again' : now.type === 'missing' ? 'Create' : 'Change'} ${path}?`,
      subject: fingerprint(context, 'write', path, [now.hash, after]),
      path,
      ...(kept ? { change: { before: now.hash, after } } : {}),
    });
    if (!asked.granted) return asked.plan;
    const answer = asked.decision?.answer;
    if (answer?.choice === 'edit' && answer.text !== undefined) {
      text = answer.text;
      bytes = encode(text, plan.encoding);
      note = `${note}\nThe human changed your text before allowing it; what was written is theirs. Read the file before you edit it again.`;
    }
  }
  return filesPlan(context, { now, bytes, text, note, ...(plan.seen ? { seen: plan.seen } : {}) });
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

/** A file that goes is made again with its permission bits. */
const modeOf = (now: Look): { mode?: number } => (now.stat ? { mode: now.stat.mode } : {});

/** What keeps a file from being deleted or moved; the same words for both. */
function obstacleTo(context: ToolContext, now: Look, verb: string): Plan | undefined {
  const { path } = now;
  const record = fileOf(context.state, path);
  if (record?.renamedTo !== undefined && now.type === 'missing') {
    return refused('humanRenamed', `${path} was renamed by the human to ${record.renamedTo}; nothing was ${verb}.`);
  }
  if (now.type === 'missing') return refused('notFound', `${path} does not exist; nothing was ${verb}.`);
  if (now.type === 'directory') return refused('isDirectory', `${path} is a folder; only files can be ${verb}.`);
  if (now.type === 'unreadable')
    return refused('unreadable', `${now.error ? whyNot(now.error) : path} Nothing was ${verb}.`);
  if (now.dirty) return refused('unsaved', `${path} has unsaved changes of the human; it was not ${verb}.`);
  if (now.stat?.readOnly && !now.stat.isLink) return refused('readOnly', `${path} is read-only; it was not ${verb}.`);
  if (record?.base !== undefined && record.base !== now.hash && !now.stat?.isLink) {
    return refused(
      'changed',
      `${path} was changed by the human since you last saw it; it was not ${verb}. Read it first.`,
    );
  }
  return undefined;
}

export const deleteFile: Tool = {
  name: 'delete_file',
  description:
    'Deletes one file, or a link (never what it leads to). Refused when the human changed it since you saw it. Cancel: finishes.',
  args: ARGS.delete_file,
  async plan(context, raw) {
    const { ports } = context;
    const where = await resolved(context, (raw as { path: string }).path);
    if ('error' in where) return refused(where.error.code, `${whyNot(where.error)} Nothing was deleted.`);
    const { path } = where;
    if (isProtected(path, ports.settings)) return refused('protected', `${path} is protected; it was not deleted.`);
    const now = await look(ports, path);
    const link = now.stat?.isLink === true;
    const blocked = link ? undefined : obstacleTo(context, now, 'deleted');
    if (blocked) return blocked;
    const before = link ? null : now.hash;
    const asked = approve(context, reasonsToAsk('delete', [path], ports.settings), {
      title: `Delete ${path}?`,
      subject: fingerprint(context, 'delete', path, [before]),
      path,
      ...(link ? {} : { change: { before, after: null } }),
    });
    if (!asked.granted) return asked.plan;
    if (!link) await keep(context, path, now.bytes, undefined);
    // A link is not content of ours: it is removed and named, but no file record says it was a file.
    const changes: FileChange[] = link ? [] : [{ path, before, after: null, size: 0, ...modeOf(now) }];
    return {
      kind: 'files',
      changes,
      perform: async () => {
        await ports.files.remove(path, { expect: before });
        return committed(link ? `Deleted the link ${path}.` : `Deleted ${path}.`, changes);
      },
    };
  },
};

export const moveFile: Tool = {
  name: 'move_file',
  description:
    'Moves or renames one file. Refused when something is at the target or the human changed the file since you saw it. Cancel: finishes.',
  args: ARGS.move_file,
  async plan(context, raw) {
    const { ports } = context;
    const args = raw as { from: string; to: string };
    const source = await resolved(context, args.from);
    if ('error' in source) return refused(source.error.code, `${whyNot(source.error)} Nothing was moved.`);
    const target = await resolved(context, args.to);
    if ('error' in target) return refused(target.error.code, `${whyNot(target.error)} Nothing was moved.`);
    const { path: from } = source;
    const { path: to } = target;
    for (const path of [from, to]) {
      if (isProtected(path, ports.settings)) return refused('protected', `${path} is protected; nothing was moved.`);
    }
    const now = await look(ports, from);
    const blocked = obstacleTo(context, now, 'moved');
    if (blocked) return blocked;
    const there = await look(ports, to);
    if (there.type !== 'missing' || there.stat?.isLink)
      return refused('exists', `${to} is there already; nothing was moved.`);
    const reasons = reasonsToAsk('edit', [from, to], ports.settings);
    const gone = fileOf(context.state, to);
    if (gone?.deletedByHuman || typeof gone?.base === 'string')
      reasons.push(`You deleted ${to}; the agent wants to create it again.`);
    const asked = approve(context, reasons, {
      title: `Move ${from} to ${to}?`,
      subject: fingerprint(context, 'move', from, [to, now.hash]),
      path: from,
    });
    if (!asked.granted) return asked.plan;
    await keep(context, from, now.bytes, undefined);
    const changes: FileChange[] = [
      { path: from, before: now.hash, after: null, size: 0, ...modeOf(now) },
      { path: to, before: null, after: now.hash, size: now.size },
    ];
    return {
      kind: 'files',
      changes,
      perform: async () => {
        await ports.files.move(from, to, { expect: now.stat?.isLink ? null : now.hash });
        return committed(`Moved ${from} to ${to}.`, changes);
      },
    };
  },
};

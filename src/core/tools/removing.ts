/** Tools that take a file away from where it is: delete and move. */
import { inWords } from '../reconcile/owned';
import type { FileChange } from '../run/state';
import { fileOf } from '../run/update';
import { BLOB_LIMIT, look, whyNot, type Look } from '../world';
import { approve } from './approval';
import { ARGS } from './args';
import { missingFolders } from '../checkpoints/links';
import { committed, fingerprint, keep } from './filePlan';
import { aboutLines, allOwned, lineWarning, marks, ownedNow } from './ownership';
import { reasonsToAsk, whyProtected } from './policy';
import { resolved } from './reading';
import { refused, type Plan, type Tool, type ToolContext } from './tool';

/** A file that goes is made again with its permission bits. */
const statOf = ({ stat }: Look): Pick<FileChange, 'mode' | 'touchedMs'> =>
  stat ? { mode: stat.mode, touchedMs: stat.ctimeMs } : {};

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
    const where = await resolved(context, (raw as { path: string }).path, true);
    if ('error' in where) return refused(where.error.code, `${whyNot(where.error)} Nothing was deleted.`);
    const { path } = where;
    const kept = whyProtected(path, ports.settings, context.state);
    if (kept) return refused('protected', `${kept}; it was not deleted.`);
    const now = await look(ports, path);
    const link = now.stat?.isLink === true;
    const blocked = link ? undefined : obstacleTo(context, now, 'deleted');
    if (blocked) return blocked;
    const held = link ? await ports.files.readLink(path) : undefined;
    const before = held ? ports.hash(held) : now.hash;
    const lost = link ? [] : allOwned(await ownedNow(context, now));
    const mine = aboutLines(context, now, lost, 'delete');
    const tooLarge = !link && now.size > BLOB_LIMIT;
    const reasons = [
      ...reasonsToAsk('delete', [path], ports.settings),
      ...(mine ? [mine.reason] : []),
      ...(tooLarge ? [`It has ${now.size} bytes: no copy of it is kept, and a restore cannot bring it back.`] : []),
    ];
    if (mine) await keep(context, path, now.bytes, undefined);
    const asked = approve(context, reasons, {
      title: mine ? `Delete ${path}, which holds lines you wrote?` : `Delete ${path}?`,
      subject: fingerprint(context, 'delete', path, [before, ...(mine ? [inWords(mine.humanLines)] : [])]),
      path,
      ...(link ? {} : { change: { before, after: null } }),
      ...(mine ? { humanLines: mine.humanLines, detail: `${reasons.join(' ')}\n${mine.shown}`.trimEnd() } : {}),
    });
    if (!asked.granted) return asked.plan;
    const stored = await keep(context, path, held ?? now.bytes, undefined);
    const gone: FileChange = {
      ...{ path, before, after: null, size: 0, owned: null, ...statOf(now) },
      ...(lost.length > 0 ? { lost } : {}),
      ...(link ? { link: 'before' as const } : {}),
      ...(tooLarge || !stored ? { noBlob: true } : {}),
    };
    const changes = [gone];
    return {
      kind: 'files',
      changes,
      perform: async () => {
        await ports.files.remove(path, { expect: link ? null : before });
        return committed(
          link ? `Deleted the link ${path}.` : `Deleted ${path}.${lineWarning(context, path, lost)}`,
          changes,
        );
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
    const source = await resolved(context, args.from, true);
    if ('error' in source) return refused(source.error.code, `${whyNot(source.error)} Nothing was moved.`);
    const target = await resolved(context, args.to, true);
    if ('error' in target) return refused(target.error.code, `${whyNot(target.error)} Nothing was moved.`);
    const { path: from } = source;
    const { path: to } = target;
    for (const path of [from, to]) {
      const kept = whyProtected(path, ports.settings, context.state);
      if (kept) return refused('protected', `${kept}; nothing was moved.`);
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
    const kept = await keep(context, from, now.bytes, undefined);
    const folders = await missingFolders(ports, to);
    const owned = await ownedNow(context, now);
    const seen = fileOf(context.state, from)?.seen;
    const changes: FileChange[] = [
      { path: from, before: now.hash, after: null, size: 0, owned: null, ...statOf(now) },
      {
        path: to,
        from,
        before: null,
        after: now.hash,
        size: now.size,
        ...(kept && now.bytes ? {} : { noBlob: true }),
        ...(seen ? { seen } : {}),
        ...(folders.length > 0 ? { folders } : {}),
        ...marks(now.hash ?? '', owned, { ranges: owned?.ranges ?? [], lost: [] }),
      },
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

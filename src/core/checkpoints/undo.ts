/** What an undo of a restore would do: only files that still hold what the restore put there. Reads only. */
import type { Ports } from '../ports';
import { look, type Look } from '../world';
import { sideOf, standing } from './linkPlan';
import { atLink, heldBy } from './links';
import { skip } from './plan';
import type { Surveyed } from './survey';
import type { FilePlan, RestoreFile, RestoreRecord } from './types';

async function surveyLink(ports: Ports, file: RestoreFile, seen: Look): Promise<Surveyed | undefined> {
  const { path, before, after, link, mode, folders } = file;
  const held = await heldBy(ports, seen);
  const there = standing(seen, held?.hash);
  const now = atLink(seen, held);
  if (there === sideOf(file, 'before')) return undefined;
  if (there !== sideOf(file, 'after')) return { now, plan: skip(path, now, 'typeChanged') };
  if (seen.dirty) return { now, plan: skip(path, now, 'unsaved') };
  const bytes = before === null ? undefined : await ports.store.blobs.get(before);
  if (before !== null && !bytes) return { now, plan: skip(path, now, 'blobMissing') };
  const plan: FilePlan = {
    ...{ path, before: after, after: before, action: before === null ? 'remove' : 'restore' },
    link: link === 'after' ? 'before' : 'after',
    ...(mode === undefined ? {} : { mode }),
    ...(folders ? { folders } : {}),
  };
  return { now, plan, ...(bytes ? { bytes } : {}) };
}

async function surveyFile(ports: Ports, file: RestoreFile): Promise<Surveyed | undefined> {
  const { path, before, after } = file;
  const now = await look(ports, path);
  if (file.link) return surveyLink(ports, file, now);
  const present = now.type === 'file' || now.type === 'missing';
  // There already: undone before, or never done.
  if (present && now.hash === before) return undefined;
  if (!present) return { now, plan: skip(path, now, now.type === 'unreadable' ? 'unreadable' : 'typeChanged') };
  if (now.hash !== after) return { now, plan: skip(path, now, 'changed') };
  if (now.type === 'missing' && now.stat?.isLink) return { now, plan: skip(path, now, 'typeChanged') };
  if (now.stat?.readOnly) return { now, plan: skip(path, now, 'readOnly') };
  if (before === null && now.dirty) return { now, plan: skip(path, now, 'unsaved') };
  const mode = file.modeBefore ?? file.mode ?? (before === null ? now.stat?.mode : undefined);
  const facts = {
    ...{ path, before: now.hash, after: before },
    ...(mode === undefined ? {} : { mode }),
    ...(file.movedFrom === undefined ? {} : { movedTo: file.movedFrom }),
    ...(file.movedTo === undefined ? {} : { movedFrom: file.movedTo }),
    ...(now.dirty ? { unsaved: true } : {}),
    ...(file.folders ? { folders: file.folders } : {}),
  };
  if (file.movedFrom !== undefined || file.movedTo !== undefined || before === null)
    return { now, plan: { ...facts, action: before === null ? 'remove' : 'restore' } };
  const bytes = await ports.store.blobs.get(before);
  return bytes ? { now, bytes, plan: { ...facts, action: 'restore' } } : { now, plan: skip(path, now, 'blobMissing') };
}

/** What was undone once is the human's again: an undo is no rule that holds on. */
export async function surveyUndo(
  ports: Ports,
  record: RestoreRecord,
  all: readonly RestoreRecord[],
): Promise<Surveyed[]> {
  const undone = new Set(
    all.flatMap((one) => (one.undoes === record.id ? one.files.filter((f) => f.done).map((f) => f.path) : [])),
  );
  const found: Surveyed[] = [];
  for (const file of record.files) {
    if (!file.done || undone.has(file.path)) continue;
    const one = await surveyFile(ports, file);
    if (one) found.push(one);
  }
  // A move needs both of its sides.
  const can = (path: string): boolean => found.some((one) => one.plan.path === path && one.plan.action !== 'skip');
  return found.map((one) => {
    const other = one.plan.movedFrom ?? one.plan.movedTo;
    return other === undefined || can(other) ? one : { now: one.now, plan: skip(one.plan.path, one.now, 'changed') };
  });
}

/** What a restore may do with one file: decided on what is there now and on what the run did. Pure. */
import type { Look } from '../world';
import type { Touch } from './history';
import type { FilePlan, SkipReason } from './types';

export interface Rules {
  secret: boolean;
  protected: boolean;
  /** It can change how tools behave. */
  sensitive: boolean;
  /** The path may not be touched at all: outside of the workspace, or reserved. */
  outside: boolean;
  /** Where the human moved it to, as far as the run knows. */
  renamedTo?: string;
}

const WORDS: Record<SkipReason, (path: string) => string> = {
  secret: (path) => `${path} looks secret: its content was never stored, so it cannot be brought back.`,
  blobMissing: (path) => `The stored content of ${path} is missing or damaged: it cannot be brought back.`,
  tooLarge: (path) => `${path} is too large: its content was not stored.`,
  unreadable: (path) => `${path} cannot be read now.`,
  readOnly: (path) => `${path} is read-only.`,
  protected: (path) => `${path} is protected (holdfast.protectedPaths).`,
  elsewhere: (path) =>
    `${path} can change how tools behave, and the run changed it on another machine: put it in place yourself.`,
  outside: (path) => `${path} is not a file of the workspace folders.`,
  typeChanged: (path) => `${path} is something else than a file of the run now.`,
  unsaved: (path) => `${path} has unsaved text in an editor: save or discard it first.`,
  changed: (path) => `You changed ${path} since the run wrote it: only changes you pick are undone.`,
  humanDeleted: (path) => `You deleted ${path}: it is not made again.`,
  humanRenamed: (path) => `You moved ${path}: it is left where it is.`,
  humanCreated: (path) => `You made ${path} after the run had removed it: it stays.`,
  notPicked: (path) => `${path} was not picked.`,
  noSpace: (path) => `${path} was not written: no space left.`,
  interrupted: (path) => `Holdfast ended before ${path} had its turn.`,
  failed: (path) => `${path} could not be changed.`,
};

export const skipWords = (path: string, reason: SkipReason): string => WORDS[reason](path);

export const skip = (path: string, now: Look, reason: SkipReason): FilePlan => ({
  path,
  action: 'skip',
  before: now.hash,
  after: now.hash,
  reason,
  message: skipWords(path, reason),
});

/** A change whose effect is unknown counts only where its content is there. */
export function settled(touches: readonly Touch[], now: Look): Touch[] {
  return touches.filter((touch, i) => {
    if (!touch.maybe) return true;
    const next = touches[i + 1];
    return next ? next.before === touch.after : now.hash === touch.after;
  });
}

/** Somebody else changed the file between two changes of the run: going back whole would take that along. */
export const hasGap = (touches: readonly Touch[]): boolean =>
  touches.some((touch, i) => i > 0 && touch.before !== touches[i - 1]?.after);

/** The bits it had when the run deleted it first. */
const deletedMode = (touches: readonly Touch[]): number | undefined =>
  touches.find((touch) => touch.after === null && touch.mode !== undefined)?.mode;

/** The run deleted it and made it anew: it goes back with the permission bits it had. */
function modesOf(touches: readonly Touch[], now: Look): { mode?: number; modeBefore?: number } {
  const mode = deletedMode(touches);
  return mode === undefined || !now.stat || now.stat.mode === mode ? {} : { mode, modeBefore: now.stat.mode };
}

/**
 * `touches`: those after the checkpoint, settled. undefined: it is as it was at the checkpoint, or the run did nothing to it
 * since. A `merge` has no hunks yet: they need the texts.
 */
export function judge(path: string, touches: readonly Touch[], now: Look, rules: Rules): FilePlan | undefined {
  const first = touches[0];
  const last = touches.at(-1);
  if (!first || !last) return undefined;
  const target = first.before;
  const present = now.type === 'file' || now.type === 'missing';
  if (present && now.hash === target) return undefined;
  const no = (reason: SkipReason): FilePlan => skip(path, now, reason);
  if (rules.outside) return no('outside');
  if (rules.secret) return no('secret');
  if (rules.protected) return no('protected');
  if (rules.sensitive && touches.some((touch) => touch.elsewhere)) return no('elsewhere');
  if (now.type === 'unreadable') return no('unreadable');
  if (!present) return no('typeChanged');
  const plan = { path, before: now.hash, after: target };
  if (now.type === 'missing') {
    if (last.after !== null) return no(rules.renamedTo === undefined ? 'humanDeleted' : 'humanRenamed');
    if (now.stat?.isLink) return no('typeChanged');
    // Of several deletions the first took what was there at the checkpoint.
    const mode = deletedMode(touches) ?? last.mode ?? first.mode;
    return { ...plan, action: 'restore', ...(mode === undefined ? {} : { mode }) };
  }
  if (last.after === null) return no('humanCreated');
  if (now.stat?.readOnly) return no('readOnly');
  if (now.hash === last.after && !hasGap(touches)) {
    if (target !== null)
      return { ...plan, action: 'restore', ...(now.dirty ? { unsaved: true } : modesOf(touches, now)) };
    if (now.dirty) return no('unsaved');
    // A link with the same text behind it is not the file the run made, unless the run moved it here.
    if (now.stat?.isLink && !touches.some((touch) => touch.movedFrom !== undefined)) return no('typeChanged');
    return { ...plan, action: 'remove', ...(now.stat ? { mode: now.stat.mode } : {}) };
  }
  // Unsaved text that cannot be kept in the file's encoding: put back by a restore it would be another.
  if (now.dirty && !now.bytes) return no('unsaved');
  const texts = touches.every((touch) => touch.before !== null && touch.after !== null);
  if (!texts || !now.view || (now.view.foreign && now.dirty)) return no('changed');
  return {
    ...plan,
    action: 'merge',
    after: now.hash,
    reason: 'changed',
    message: skipWords(path, 'changed'),
    ...(now.dirty ? { unsaved: true } : {}),
  };
}

/** Where the file at `path` stood before the run's moves since the checkpoint; undefined: it was not moved. */
function originOf(path: string, since: ReadonlyMap<string, readonly Touch[]>): string | undefined {
  let at = path;
  for (let moves = 0; moves <= since.size; moves += 1) {
    const move = since.get(at)?.findLast((touch) => touch.movedFrom !== undefined);
    if (move?.movedFrom === undefined) return at === path ? undefined : at;
    at = move.movedFrom;
  }
  return undefined;
}

/** A file that goes and one that comes with the same bytes, by a move of the run: it is moved back, as it is. */
export function pairMoves(plans: readonly FilePlan[], since: ReadonlyMap<string, readonly Touch[]>): FilePlan[] {
  const movedTo = new Map<string, string>();
  for (const gone of plans) {
    if (gone.action !== 'remove' || gone.before === null || gone.link) continue;
    const from = originOf(gone.path, since);
    const back = plans.find(
      (plan) => plan.path === from && plan.action === 'restore' && plan.before === null && !plan.link,
    );
    if (back && back.after === gone.before) movedTo.set(gone.path, back.path);
  }
  const movedFrom = new Map([...movedTo].map(([from, to]) => [to, from]));
  return plans.map((plan) => {
    const to = movedTo.get(plan.path);
    const from = movedFrom.get(plan.path);
    return {
      ...plan,
      ...(to === undefined ? {} : { movedTo: to }),
      ...(from === undefined ? {} : { movedFrom: from }),
    };
  });
}

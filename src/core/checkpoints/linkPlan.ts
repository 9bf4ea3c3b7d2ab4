/** Links that the run deleted: what a restore may do with them. They are known by what they hold, and never followed. Pure. */
import type { Hash } from '../ports';
import type { Look } from '../world';
import type { Touch } from './history';
import { skip, type Rules } from './plan';
import type { FilePlan, SkipReason } from './types';

type Sides = Pick<Touch, 'before' | 'after' | 'link'>;

export const hasLink = (touches: readonly Sides[]): boolean => touches.some(({ link }) => link !== undefined);

/** A link is not the file that holds the same bytes. */
const asLink = (held: Hash): string => `link:${held}`;

/** What stands there on one side of a change. */
export function sideOf(touch: Sides, side: 'before' | 'after'): string | null {
  const hash = touch[side];
  return hash !== null && touch.link === side ? asLink(hash) : hash;
}

/** What stands there now; `held`: the hash of what the link holds, where it is one. */
export const standing = (now: Look, held: Hash | undefined): string | null =>
  held === undefined ? now.hash : asLink(held);

/** As `judge`, where one of the changes took a link away or made it anew. */
export function judgeLink(
  path: string,
  touches: readonly Touch[],
  now: Look,
  held: Hash | undefined,
  rules: Rules,
): FilePlan | undefined {
  const first = touches[0];
  const last = touches.at(-1);
  if (!first || !last) return undefined;
  const there = standing(now, held);
  const target = sideOf(first, 'before');
  const present = held !== undefined || now.type === 'file' || now.type === 'missing';
  if (present && there === target) return undefined;
  const no = (reason: SkipReason): FilePlan => skip(path, now, reason);
  if (rules.outside) return no('outside');
  if (rules.secret) return no('secret');
  if (rules.protected) return no('protected');
  if (touches.some((touch) => touch.elsewhere)) return no('elsewhere');
  if (!present) return no(now.type === 'unreadable' ? 'unreadable' : 'typeChanged');
  if (there === null && last.after !== null) return no(rules.renamedTo === undefined ? 'humanDeleted' : 'humanRenamed');
  if (there !== null && last.after === null) return no('humanCreated');
  const gap = touches.some((touch, i) => {
    const before = touches[i - 1];
    return before !== undefined && sideOf(touch, 'before') !== sideOf(before, 'after');
  });
  if (gap || there !== sideOf(last, 'after') || (held !== undefined && first.link === 'before'))
    return no('typeChanged');
  if (now.dirty) return no('unsaved');
  if (held === undefined && now.stat?.readOnly) return no('readOnly');
  const mode = touches.find((touch) => touch.mode !== undefined)?.mode ?? now.stat?.mode;
  return {
    path,
    action: target === null ? 'remove' : 'restore',
    before: held ?? now.hash,
    after: first.before,
    link: first.link === 'before' ? 'after' : 'before',
    ...(mode === undefined ? {} : { mode }),
  };
}

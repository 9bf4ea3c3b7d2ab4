/** Stored content as text to look at, and a conflict as one text. */
import type { Hash, Path, Ports } from '../ports';
import { charsetAt } from '../reconcile/charset';
import { dominantEol } from '../reconcile/lines';
import { withMarks } from '../reconcile/merge3';
import { decode, display } from '../reconcile/text';
import type { Decision } from '../run/state';

type Needs = Pick<Ports, 'store' | 'buffers'>;

const BINARY = /[\u0000-\u0008\u000E-\u001A]/;

/**
 * As the file at `path` is read now, each byte that is no text as U+FFFD; what is no text at all is said to be none.
 * null: nothing was there. undefined: not stored.
 */
export async function storedText(
  { store, buffers }: Needs,
  stored: { path: Path; hash: Hash | null },
): Promise<string | undefined> {
  if (stored.hash === null) return '';
  const bytes = await store.blobs.get(stored.hash);
  if (!bytes) return undefined;
  const view = decode(bytes, await charsetAt(buffers, stored.path));
  return !view || BINARY.test(view.text.slice(0, 8000))
    ? `(binary content, ${bytes.length} bytes)\n`
    : display(view.text);
}

/** Both sides of a conflict in one text, marks around what only the human can decide. undefined: it has no base, or cannot be. */
export async function conflictText(needs: Needs, { path, change }: Decision): Promise<string | undefined> {
  if (path === undefined || !change?.base) return undefined;
  const side = (hash: Hash | null): Promise<string | undefined> => storedText(needs, { path, hash });
  const [base, mine, agent] = await Promise.all([side(change.base), side(change.before), side(change.after)]);
  if (base === undefined || mine === undefined || agent === undefined) return undefined;
  return withMarks(base, agent, mine)?.replaceAll('\n', dominantEol(mine));
}

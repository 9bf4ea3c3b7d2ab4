/** Whose lines are in a text that an editor shows, for marks beside them. */
import type { Path, Ports } from '../ports';
import { breather } from '../tools/ownership';
import { markHumanSlowly, type LineRange } from '../reconcile/owned';
import { charsetAt } from '../reconcile/charset';
import { decode } from '../reconcile/text';
import type { RunState } from '../run/state';
import { fileOf, wasNoFile } from '../run/update';

/**
 * The human's lines of `text`, which stands at `path` now or is being typed there. Nothing is stored: the run itself looks when
 * it reads, reports or writes.
 */
export async function humanLines(
  { store, buffers, clock }: Pick<Ports, 'store' | 'buffers' | 'clock'>,
  state: RunState | undefined,
  shown: { path: Path; text: string },
): Promise<LineRange[]> {
  const given: unknown = shown;
  if (typeof given !== 'object' || given === null) return [];
  const { path, text } = given as Partial<typeof shown>;
  if (typeof path !== 'string' || typeof text !== 'string') return [];
  const record = state && fileOf(state, path);
  if (!record || record.ignored) return [];
  const owned = record.owned?.ranges ?? [];
  const of = record.owned?.of ?? record.known;
  const mark = (before: string, ranges: readonly LineRange[]): Promise<LineRange[]> =>
    markHumanSlowly(before, ranges, text, breather({ clock }));
  if (of === null) return wasNoFile(record) ? mark('', []) : [];
  const bytes = await store.blobs.get(of);
  const before = bytes && decode(bytes, await charsetAt(buffers, path))?.text;
  // Not stored (secret-looking, huge): what is known of it is all there is to show.
  return before === undefined ? owned : mark(before, owned);
}

/** Rule 4 of the write guard, with its effects left out: whose lines are in a file now, and what asks before one of them goes. */
import { FileError } from '../errors';
import type { Path, Ports } from '../ports';
import { likeness } from '../reconcile/diff';
import {
  allLines,
  carrySlowly,
  countOwned,
  inWords,
  markHumanSlowly,
  numbered,
  type Carried,
  type LineRange,
  type Owned,
} from '../reconcile/owned';
import { decode, display } from '../reconcile/text';
import type { FileChange, FileRecord, RunState } from '../run/state';
import { fileOf, wasNoFile } from '../run/update';
import type { Look } from '../world';
import { isSecret } from './policy';

/** Of the human's lines, at most so many characters in the question itself; all of them stand in the change it shows. */
const SHOWN_CHARS = 4000;

/** How many files that are gone may be the one that is seen for the first time. */
const RENAME_LOOKS = 200;

type World = { ports: Ports; state: RunState };

/** Long texts are compared in parts; in between the host has its turn, and a stop is heard. */
export const breather =
  ({ clock }: Pick<Ports, 'clock'>): (() => Promise<void>) =>
  () =>
    clock.sleep(0, new AbortController().signal);

/** Read as the file is read now. */
async function textOf(ports: Ports, hash: string | null | undefined, now: Look): Promise<string | undefined> {
  const bytes = hash ? await ports.store.blobs.get(hash) : undefined;
  return bytes && decode(bytes, now.view?.encoding)?.text;
}

const isGone = (ports: Ports, path: Path): Promise<boolean> =>
  ports.files.stat(path).then(
    (stat) => stat.type === 'missing' && !stat.isLink,
    (error: unknown) => error instanceof FileError && error.code === 'notFound',
  );

/** What the run knows of a file, also where the human has renamed it meanwhile and no report has said so yet. */
async function recordOf({ ports, state }: World, now: Look): Promise<FileRecord | undefined> {
  const own = fileOf(state, now.path);
  if (own && (own.known !== null || wasNoFile(own))) return own;
  const alike = state.files.filter(
    (f) => f.known !== null && f.knownSize <= now.size * 3 && f.knownSize >= now.size / 3 && f.path !== now.path,
  );
  for (const other of alike.slice(-RENAME_LOOKS)) {
    if (!(await isGone(ports, other.path))) continue;
    if (other.known === now.hash) return other;
    const before = await textOf(ports, other.known, now);
    if (before !== undefined && now.view && likeness(before, now.view.text) >= 0.5) return other;
  }
  return undefined;
}

/**
 * The human's lines in a file as it is now: the marks of before, carried to this content, and what has changed since the run's
 * last look, which it did not do itself. undefined: none. Without stored content (secret-looking, huge, binary, lost) a changed
 * file is theirs as a whole; an ignored one never is. `given`: what is known of it, where it had another name.
 */
export async function ownedNow(world: World, now: Look, given?: FileRecord): Promise<Owned | undefined> {
  const { ports } = world;
  if (now.hash === null) return undefined;
  const record = given ?? (await recordOf(world, now));
  if (!record) return undefined;
  const of = record.owned?.of ?? record.known;
  if (of === now.hash) return record.owned;
  if (await ports.files.isIgnored(now.path)) return undefined;
  const whole: Owned = { of: now.hash, ranges: now.view ? allLines(now.view.text) : [], whole: true };
  if (record.owned?.whole || !now.view || isSecret(now.path, ports.settings)) return whole;
  // It was not there, and the run did not make it: they created it.
  const before = of === null ? '' : await textOf(ports, of, now);
  if (before === undefined) return whole;
  const ranges = await markHumanSlowly(before, record.owned?.ranges ?? [], now.view.text, breather(ports));
  return ranges.length > 0 ? { of: now.hash, ranges } : undefined;
}

/** What a write of the agent makes of the human's lines. */
export async function written(
  { ports }: Pick<World, 'ports'>,
  now: Look,
  owned: Owned | undefined,
  text: string,
): Promise<Carried> {
  if (!owned || !now.view) return { ranges: [], lost: [] };
  return carrySlowly(now.view.text, owned.ranges, text, breather(ports));
}

/** Everything goes (delete): all of their lines. A file of theirs without lines counts as one. */
export const allOwned = (owned: Owned | undefined): LineRange[] =>
  !owned ? [] : owned.ranges.length > 0 ? owned.ranges : owned.whole ? [{ from: 1, to: 1 }] : [];

/** Why the human is asked about their lines, and exactly those lines; undefined: nobody is asked. */
export function aboutLines(
  { ports }: Pick<World, 'ports'>,
  now: Look,
  lost: readonly LineRange[],
  verb: 'change' | 'delete',
): { reason: string; shown: string; humanLines: LineRange[] } | undefined {
  if (lost.length === 0 || ports.settings.humanLines() !== 'ask') return undefined;
  const count = countOwned(lost);
  const what = verb === 'delete' ? 'would delete' : 'would change or delete';
  const reason = `It ${what} ${count === 1 ? 'a line' : `${count} lines`} you wrote (${inWords(lost)}).`;
  const hidden = isSecret(now.path, ports.settings) || !now.view;
  const shown = hidden ? '' : display(numbered(now.view?.text ?? '', lost, SHOWN_CHARS));
  return { reason, shown, humanLines: [...lost] };
}

/** For the model and the transcript, where lines of the human went without a question (`holdfast.humanLines: warn`). */
export function lineWarning({ ports }: Pick<World, 'ports'>, path: Path, lost: readonly LineRange[]): string {
  if (lost.length === 0 || ports.settings.humanLines() !== 'warn') return '';
  return `\nThis changed or deleted text that the human wrote in ${path} (${inWords(lost)} as it was). Tell them.`;
}

/** The part of a `FileChange` about the human's lines. */
export function marks(
  hash: string,
  owned: Owned | undefined,
  { ranges, lost }: { ranges: LineRange[]; lost: LineRange[] },
): Pick<FileChange, 'owned' | 'lost'> {
  const whole = owned?.whole && ranges.length === 0 && lost.length === 0;
  return {
    owned: ranges.length > 0 || whole ? { of: hash, ranges, ...(whole ? { whole } : {}) } : null,
    ...(lost.length > 0 ? { lost } : {}),
  };
}

/** From a decided text to the effect on a file: kept, journalled, then made atomically, the human's lines carried along. */
import { missingFolders } from '../checkpoints/links';
import { FileError } from '../errors';
import { toLf } from '../reconcile/lines';
import { markHumanSlowly, type Carried, type Owned } from '../reconcile/owned';
import { encode } from '../reconcile/text';
import type { FileChange } from '../run/state';
import { BLOB_LIMIT, look, shown, type Look } from '../world';
import { breather, marks, written } from './ownership';
import { isSecret } from './policy';
import { putBlob } from './reading';
import type { Plan, Result, ToolContext } from './tool';
import { planWrite } from './write';

export const committed = (text: string, changes: FileChange[]): Result => ({
  outcome: 'done',
  effect: 'committed',
  text,
  changes,
});

/** Stores both sides of a change before anything names them; secret and huge content is hashed only. */
export async function keep(
  context: ToolContext,
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): Promise<boolean> {
  if (isSecret(path, context.ports.settings)) return false;
  for (const bytes of [before, after]) if (bytes && bytes.length <= BLOB_LIMIT) await putBlob(context, bytes);
  return true;
}

export interface Write {
  now: Look;
  bytes: Uint8Array;
  text: string;
  note: string;
  seen?: { from: number; to: number }[];
  /** The human's lines in `now`. */
  owned: Owned | undefined;
  /** What the write makes of them, where it is known. */
  made?: Carried;
  /** What the agent proposed, where `text` is what the human made of it by hand. */
  drafted?: string;
}

/** The change as it is journalled. What the human put in by hand is theirs from now on. */
async function changeOf(context: ToolContext, write: Write): Promise<FileChange> {
  const { now, bytes, text, owned, drafted } = write;
  const hash = context.ports.hash(bytes);
  const made = write.made ?? (await written(context, now, owned, drafted ?? text));
  const ranges =
    drafted === undefined ? made.ranges : await markHumanSlowly(drafted, made.ranges, text, breather(context.ports));
  return {
    path: now.path,
    before: now.hash,
    after: hash,
    size: bytes.length,
    ...(isSecret(now.path, context.ports.settings) || bytes.length > BLOB_LIMIT ? { noBlob: true } : {}),
    ...(now.dirty ? { unsaved: true } : now.stat && now.hash !== null ? { touchedMs: now.stat.ctimeMs } : {}),
    ...(write.seen ? { seen: write.seen } : {}),
    ...marks(hash, owned, { ranges, lost: made.lost }),
  };
}

/** The write itself: into the buffer where the document is dirty, else to disk. */
async function perform(context: ToolContext, write: Write, change: FileChange): Promise<Result> {
  const { files, buffers } = context.ports;
  const { now, bytes, text, note } = write;
  const { path } = now;
  if (now.dirty) {
    if (!(await buffers.edit(path, now.dirty, text))) throw new FileError('changed', path);
    return committed(`${note}\nunsaved: commands see the older file (the human has unsaved text in ${path}).`, [
      change,
    ]);
  }
  // Typed since it was planned: what is there now is the buffer, and it is planned anew on that.
  if (buffers.get(path)?.dirty && (await look(context.ports, path)).dirty) throw new FileError('changed', path);
  await files.write(path, bytes, { expect: now.hash });
  // An editor that shows the file needs a moment; typing in that gap would be saved over the write.
  const settled = await shown(context.ports, path, text);
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
        const ranges = await markHumanSlowly(
          now.view?.text ?? '',
          write.owned?.ranges ?? [],
          again.view.text,
          breather(context.ports),
        );
        const late = asShown({
          now: again,
          bytes: encode(mended.text, mended.encoding),
          text: mended.text,
          note,
          owned: { of: again.hash ?? '', ranges },
        });
        const lost = change.lost ? { lost: change.lost } : {};
        // The disk has the write already: without room for this copy the text goes in all the same.
        const kept = await keep(context, path, again.bytes, late.bytes).catch(() => false);
        const made = { ...change, ...(await changeOf(context, late)), before: change.before, ...lost };
        return perform(context, late, kept ? made : { ...made, noBlob: true });
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

export async function filesPlan(context: ToolContext, given: Write): Promise<Plan> {
  const write = asShown(given);
  await keep(context, write.now.path, write.now.bytes, write.bytes);
  const folders = write.now.type === 'missing' ? await missingFolders(context.ports, write.now.path) : [];
  const change = { ...(await changeOf(context, write)), ...(folders.length > 0 ? { folders } : {}) };
  return { kind: 'files', changes: [change], perform: () => perform(context, write, change) };
}

/** Bound to both contents: another text on either side needs another answer. */
export const fingerprint = (context: ToolContext, kind: string, path: string, parts: (string | null)[]): string =>
  `${kind}:${path}:${context.ports.hash(new TextEncoder().encode(parts.map((p) => p ?? '-').join('\n'))).slice(0, 32)}`;

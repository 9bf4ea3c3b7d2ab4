/** Unsaved text at a resume: asked about, and what was answered is done to the text the answer was about, to no other. */
import type { BufferState, Hash, Path, Ports } from '../ports';
import type { DecisionRequest, RunState, UnsavedAnswer } from '../run/state';

const encoder = new TextEncoder();

/** Unsaved text as it is in this very moment: an answer is about nothing that is typed after it. */
export const typedNow = ({ buffers }: Pick<Ports, 'buffers'>): BufferState[] =>
  buffers.dirty().flatMap((path) => buffers.get(path) ?? []);

const textOf = ({ hash }: Pick<Ports, 'hash'>, { text }: BufferState): Hash => hash(encoder.encode(text));

/** What the answer to a question about these paths has seen. */
export const textsOf = (
  ports: Pick<Ports, 'hash'>,
  typed: readonly BufferState[],
  paths: readonly Path[],
): Record<Path, Hash> =>
  Object.fromEntries(
    typed.filter(({ path }) => paths.includes(path)).map((buffer) => [buffer.path, textOf(ports, buffer)]),
  );

export interface UnsavedSettled {
  /** They stay unsaved, as answered. */
  kept: Path[];
  /** The editor could not save or revert them. */
  failed: Path[];
}

/** Does what was answered in this resume, or is set. What was typed since an answer is asked about anew. */
export async function settleUnsaved(ports: Ports, state: RunState, signal: AbortSignal): Promise<UnsavedSettled> {
  const fixed = ports.settings.unsavedOnResume();
  const answers = state.resuming?.unsaved ?? [];
  const settled: UnsavedSettled = { kept: [], failed: [] };
  for (const path of ports.buffers.dirty()) {
    signal.throwIfAborted();
    const answer = answers.findLast(({ paths }) => paths.includes(path));
    const choice = answer?.choice ?? fixed;
    const buffer = ports.buffers.get(path);
    if (choice === 'keep') settled.kept.push(path);
    else if (choice !== 'ask' && buffer && !movedOn(ports, buffer, answer)) {
      const done =
        choice === 'save' ? await ports.buffers.save(path, buffer) : await ports.buffers.discard(path, buffer);
      if (!done && ports.buffers.get(path)?.text === buffer.text) settled.failed.push(path);
    }
  }
  return settled;
}

/** Text in an editor that held none when the answer was given is another text, too. */
const movedOn = (ports: Ports, buffer: BufferState, answer: UnsavedAnswer | undefined): boolean =>
  answer?.seen !== undefined && textOf(ports, buffer) !== answer.seen[buffer.path];

const listed = (paths: readonly Path[]): string => (paths.length === 1 ? (paths[0] ?? '') : `${paths.length} files`);

/** `open`: unsaved, and no answer holds for them. Pure. */
export function unsavedQuestion(open: readonly Path[], failed: readonly Path[]): DecisionRequest {
  const [first, ...more] = open;
  const it = more.length === 0 ? 'it' : 'them';
  const could = failed.length > 0 ? `The editor could not save or revert ${failed.join(', ')}. ` : '';
  const names = more.length === 0 ? '' : `${open.join(', ')}. `;
  return {
    kind: 'unsaved',
    ...(more.length === 0 && first !== undefined ? { path: first } : {}),
    paths: [...open],
    title: `Unsaved changes in ${listed(open)}`,
    detail: `${could}${names}If you keep ${it} unsaved, the agent may not write there, and commands see the older text.`,
    choices: [
      { id: 'save', label: 'Save' },
      { id: 'keep', label: 'Keep Unsaved' },
      { id: 'discard', label: 'Discard' },
    ],
    freeText: false,
    subject: `unsaved:${open.join('|')}`,
  };
}

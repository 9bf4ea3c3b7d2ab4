/** Unsaved text at a resume: asked about, and what was answered is done to the text the answer was about, to no other. */
import type { Hash, Path, Ports } from '../ports';
import type { DecisionRequest, RunState, UnsavedAnswer } from '../run/state';

const encoder = new TextEncoder();

/** What the editors hold at these paths, for an answer that is given now. */
export function textsAt(
  { buffers, hash }: Pick<Ports, 'buffers' | 'hash'>,
  paths: readonly Path[],
): Record<Path, Hash> {
  const held = paths.flatMap((path) => {
    const buffer = buffers.get(path);
    return buffer ? [[path, hash(encoder.encode(buffer.text))] as const] : [];
  });
  return Object.fromEntries(held);
}

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
    else if (choice !== 'ask' && buffer && !movedOn(ports, path, answer)) {
      const done =
        choice === 'save' ? await ports.buffers.save(path, buffer) : await ports.buffers.discard(path, buffer);
      if (!done && ports.buffers.get(path)?.text === buffer.text) settled.failed.push(path);
    }
  }
  return settled;
}

/** Text in an editor that was not open when the answer was given is another text, too. */
const movedOn = (ports: Ports, path: Path, answer: UnsavedAnswer | undefined): boolean =>
  answer?.seen !== undefined && textsAt(ports, [path])[path] !== answer.seen[path];

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

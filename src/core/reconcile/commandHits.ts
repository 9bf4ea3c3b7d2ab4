/** Where a command went over something of the human's: which, both versions of it, and the question which of them stays. */
import type { Hash, Path, Ports } from '../ports';
import { allOwned, breather } from '../tools/ownership';
import { isSecret } from '../tools/policy';
import type { DecisionRequest, FileChange, RunState, Step } from '../run/state';
import { look } from '../world';
import type { OnDisk } from './onDisk';
import { carrySlowly, inWords, type LineRange, type Owned } from './owned';
import { charsetAt } from './charset';
import { decode } from './text';
import { Keeper } from './onDisk';
import { AGENT, EDIT, MINE, sideSubject } from './sides';

export interface Hit {
  ask(step: Step): DecisionRequest;
}

/** What a command made of the human's lines; undefined: it held none, or nothing can be told of it. */
export async function linesAfter(
  ports: Ports,
  path: Path,
  owned: Owned | undefined,
  before: Hash | null | undefined,
  now: OnDisk,
): Promise<{ lost: LineRange[]; marks: Pick<FileChange, 'owned' | 'lost'> } | undefined> {
  if (!owned || owned.of !== before) return undefined;
  if (typeof now.hash !== 'string') return { lost: allOwned(owned), marks: { owned: null, lost: allOwned(owned) } };
  const bytes = await ports.store.blobs.get(owned.of);
  const as = await charsetAt(ports.buffers, path);
  const [old, next] = [bytes && decode(bytes, as)?.text, now.bytes && decode(now.bytes, as)?.text];
  // Content that cannot be compared is theirs as a whole, and another one now.
  if (old === undefined || next === undefined || owned.whole) {
    const lost = allOwned(owned);
    return { lost, marks: { owned: null, ...(lost.length > 0 ? { lost } : {}) } };
  }
  const { ranges, lost } = await carrySlowly(old, owned.ranges, next, breather(ports));
  const left = ranges.length > 0 ? { of: now.hash, ranges } : null;
  return { lost, marks: { owned: left, ...(lost.length > 0 ? { lost } : {}) } };
}

const SECRET = 'the file looks like it holds secrets';

/**
 * undefined: it went over nothing of theirs. `lost`: lines of theirs that it deleted or altered. `standing`: they changed the file
 * while it stood frozen. `copied`: what is there now is stored. `cutOff`: it was not seen to do it.
 */
export async function hitOf(
  ports: Ports,
  state: RunState,
  one: {
    path: Path;
    before: Hash | null | undefined;
    now: OnDisk;
    copied: boolean;
    lost: readonly LineRange[];
    standing?: boolean;
    cutOff?: boolean;
  },
): Promise<Hit | undefined> {
  const { path, before, now } = one;
  const secret = isSecret(path, ports.settings);
  const request = (title: string, detail: string, mine: Hash | null, choices: DecisionRequest['choices']): Hit => ({
    ask: (step) => ({
      kind: 'conflict',
      source: 'command',
      stepId: step.id,
      path,
      title,
      detail: `${detail} Command: ${step.title}`,
      choices,
      freeText: false,
      subject: `${sideSubject(step.id, path)}${mine}:${now.hash}`,
      change: { before: mine, after: now.hash ?? null, ...(now.isLink ? { throughLink: true as const } : {}) },
    }),
  });
  const buffer = await look(ports, path);
  if (buffer.dirty && buffer.hash !== null && now.hash !== undefined) {
    const copied = (await new Keeper(ports).bytes(path, buffer.bytes)) && (now.hash === null || one.copied);
    const why = secret ? SECRET : 'no copy of it could be stored';
    const detail = `You have unsaved text in it, and the command wrote the file on disk. Both versions are kept${copied ? '' : ` on disk and in the editor only: ${why}`}.`;
    return request(`A command wrote ${path} under your unsaved text`, detail, buffer.hash, [MINE, AGENT]);
  }
  const made = state.made?.includes(path) ?? false;
  const lines = one.lost.length > 0 && ports.settings.humanLines() === 'ask';
  // Without the bytes of before there is nothing to compare, nor to put back.
  const unknown = one.standing === true && before === undefined;
  if ((!made && !lines && !unknown) || before === null) return undefined;
  const stored = typeof before === 'string' && !secret && (await ports.store.blobs.get(before)) !== undefined;
  const what =
    now.hash === null ? 'deleted' : now.hash === undefined ? 'put something else in the place of' : 'changed';
  const which = made ? 'made' : lines ? 'wrote in' : 'changed while it stood';
  const whose = lines && now.hash !== undefined ? `lines you wrote in ${path}` : `${path}, which you ${which}`;
  const title = one.cutOff
    ? `A command that was cut off may have changed or deleted ${whose}`
    : `A command ${lines && now.hash !== undefined ? 'changed or deleted' : what} ${whose}`;
  if (!stored) {
    const lost = `What it held before was not kept${secret ? `: ${SECRET}` : ''}. Only what the command ${now.hash === null ? 'left (nothing) is there' : 'made of it is there'} now.`;
    return request(title, lost, before ?? null, [AGENT]);
  }
  const hit = lines
    ? `Your lines (${inWords(one.lost)} as they were) are not what you wrote any more.`
    : `The command ${one.cutOff ? `may have ${what}` : what} a file you made since the run began.`;
  const copies =
    now.hash === undefined
      ? 'Yours is kept; what stands in its place is no file of its own, or cannot be read: move that away, and Keep Mine puts yours back.'
      : now.hash === null || one.copied
        ? 'Both versions are kept.'
        : "Yours is kept; the command's is on disk only: no copy of it could be stored.";
  return request(title, `${hit} ${copies}`, before, [MINE, AGENT, ...(typeof now.hash === 'string' ? [EDIT] : [])]);
}

/** The human has chosen between their version of a file and the command's: it is put in place, unless the file moved on. */
import { FileError } from '../errors';
import type { Ports } from '../ports';
import type { SideTaken } from '../run/events';
import type { Decision, RunState } from '../run/state';
import { stepOf } from '../run/update';
import { isSecret, isSensitive, whyProtected } from '../tools/policy';
import { byHand } from '../tools/write';
import { look, whyNot } from '../world';
import { keepBytes, onDisk, type OnDisk } from './onDisk';
import { charsetAt } from './charset';
import { isCommands, sideSubject } from './sides';
import { decode, encode } from './text';

interface Host {
  readonly ports: Ports;
  readonly state: RunState;
  dispatch(event: SideTaken): Promise<void>;
}

export async function takeSide(
  host: Host,
  chosen: { decisionId: string; choice: string; text?: string },
  signal: AbortSignal,
): Promise<void> {
  const decision = host.state.decisions.find((d) => d.id === chosen.decisionId);
  if (decision) await host.dispatch(await taken(host, decision, chosen, signal));
}

/**
 * Only what a command of this run was seen to do here is answered by a write. A run from elsewhere brings its own word for what
 * was there before: no protected, sensitive or secret-looking path is written on that.
 */
function objection({ ports, state }: Host, { openedAt, path, stepId, subject }: Decision): string | undefined {
  const step = stepId === undefined ? undefined : stepOf(state, stepId);
  const raised = step?.tool === 'run_command' && path !== undefined && subject.startsWith(sideSubject(step.id, path));
  if (!raised) return 'No command of this run asked that: nothing was written.';
  const { importedFrom } = state;
  if (!importedFrom) return undefined;
  if (openedAt < importedFrom.at) return 'That was asked on another machine: nothing was written here.';
  const kept = whyProtected(path, ports.settings, state);
  if (kept !== undefined) return `${kept}: nothing was written. Put it in place yourself.`;
  if (isSensitive(path, ports.settings) || isSecret(path, ports.settings))
    return `${path} is not written for a run from another machine: put it in place yourself.`;
  return undefined;
}

async function taken(
  host: Host,
  decision: Decision,
  { choice, text }: { choice: string; text?: string },
  signal: AbortSignal,
): Promise<SideTaken> {
  const { ports } = host;
  const { path = '', change } = decision;
  const answer = {
    type: 'sideTaken',
    decisionId: decision.id,
    choice,
    ...(text === undefined ? {} : { text }),
  } as const;
  const failed = (said: string): SideTaken => ({ ...answer, said, failed: true });
  const no = objection(host, decision);
  if (no !== undefined) return failed(no);
  const stopped = (): SideTaken | undefined =>
    signal.aborted ? failed(`The stop came before ${path} was touched: answer again.`) : undefined;
  try {
    const seen = await look(ports, path);
    const early = stopped();
    if (early) return early;
    const there = await onDisk(ports, path);
    // What the question showed is not what is there now: neither version is put over that, nor said to stand there.
    const asShown = there.hash === change?.after || (!seen.dirty && there.hash === change?.before);
    // What a new link leads to is another file of theirs.
    const noFile = there.hash === undefined || (there.isLink === true && change?.throughLink !== true);
    if (noFile && choice === 'agent' && change?.after === null && !seen.dirty)
      return {
        ...answer,
        said: `The human left what stands in the place of ${path}. Look at it before you change it.`,
      };
    if (noFile)
      return failed(
        `What stands at ${path} now is no file of its own, or cannot be read: move it away, then answer again. Nothing was written.`,
      );
    if (!asShown) return movedOn(ports, failed, path, there);
    if (seen.dirty) {
      const typed = `You typed into ${path} since the command: save or revert that, then answer again.`;
      if (choice === 'edit') return failed(`${path} has unsaved text: save or revert it, then answer again.`);
      if (choice === 'agent' && seen.hash !== change?.before) return failed(typed);
      const mine = choice === 'mine';
      const done = mine ? await ports.buffers.save(path, seen.dirty) : await ports.buffers.discard(path, seen.dirty);
      if (!done && ports.buffers.get(path)?.text !== seen.dirty.text) return failed(typed);
      if (!done)
        return failed(
          `${path} could not be ${mine ? 'saved' : 'reverted'} in the editor: do it there, then answer again.`,
        );
    }
    const now = seen.dirty ? await onDisk(ports, path) : there;
    const result = (said: string, at: Pick<OnDisk, 'hash' | 'size'> = now): SideTaken => ({
      ...answer,
      said,
      ...(at.hash === undefined ? {} : { now: { hash: at.hash, size: at.size } }),
    });
    if (choice === 'agent') {
      if (now.hash === undefined || now.hash !== change?.after) return movedOn(ports, failed, path, now);
      return result(
        isCommands(change, now.hash)
          ? `The human took what the command made of ${path}.`
          : `${path} was changed again after the command, and the human kept that. Read it before you change it.`,
      );
    }
    if (seen.dirty) return result(`The human kept their text of ${path}, and saved it.`);
    const before = await blob(ports, change?.before);
    const view = before && decode(before, await charsetAt(ports.buffers, path));
    const mine = choice === 'edit' ? byHand(text, view) : undefined;
    if (mine && 'why' in mine) return failed(`${mine.why} Nothing was written to ${path}.`);
    const wanted = mine ? encode(mine.text, view?.encoding ?? 'utf8') : before;
    if (!wanted) return failed(`The version of ${path} before the command is not stored any more.`);
    const hash = ports.hash(wanted);
    if (now.hash === hash) return result(`The human kept their version of ${path}.`);
    await keepBytes(ports, path, wanted);
    const late = stopped();
    if (late) return late;
    await ports.files.write(path, wanted, { expect: now.hash ?? null });
    return result(`After the command the human put their own version of ${path} back. Read it before you change it.`, {
      hash,
      size: wanted.length,
    });
  } catch (error) {
    if (error instanceof FileError) return failed(whyNot(error));
    throw error;
  }
}

/** The question stays, and is about what is there now. */
async function movedOn(
  ports: Ports,
  failed: (said: string) => SideTaken,
  path: string,
  { hash, size, bytes }: OnDisk,
): Promise<SideTaken> {
  if (hash === undefined) return failed(`${path} cannot be read now. Look at it, then answer again.`);
  const kept = hash === null || (await keepBytes(ports, path, bytes));
  const said = `${path} was changed again since the command, and nothing was put over that. Your next answer is about what is there now${kept ? '' : ', of which no copy could be stored'}.`;
  return { ...failed(said), now: { hash, size } };
}

const blob = async (ports: Ports, hash: string | null | undefined): Promise<Uint8Array | undefined> =>
  hash ? ports.store.blobs.get(hash) : undefined;

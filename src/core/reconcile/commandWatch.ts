/**
 * What a command did to files: the workspace is looked at before it and after it. The files of the run are compared by their
 * bytes, the others by size and time of their last change (`Tree`).
 */
import type { StorageError } from '../errors';
import type { Hash, Path, Ports } from '../ports';
import type { CommandFound, DecisionRequest, Elsewhere, FileChange, RunState, Step, Theirs } from '../run/state';
import { fileOf } from '../run/update';
import { LOOK_BUDGET_MS, type TreeChange, type TreeLook } from '../tree';
import { effectWords } from './commandWords';
import { hitOf, linesAfter, type Hit } from './commandHits';
import { CommandMemory, didIt, nothingYet, theirsOf, within, type Before, type Span } from './commandMemory';
import { cutOffCommand, mayHaveDone } from './cutOff';
import { keepBytes, Keeper, type OnDisk } from './onDisk';
import { joined } from './untold';

/** Files that are looked at one by one after a command; the others are counted. */
const MOST_FILES = 400;
/** When somebody waits for the stop. */
export const HURRIED_MS = 2000;

/** Before a command goes on: what nobody has been told of, and what it finds of the human's. Durable before anything of it runs. */
export interface Findings {
  elsewhere: Elsewhere[];
  theirs: Theirs[];
  /** false: something of the human's may be there of which no copy is kept. */
  whole: boolean;
}

const NOTHING: Findings = { elsewhere: [], theirs: [], whole: true };

export interface CommandEffect {
  /** Why not all of it could be copied. */
  lost?: StorageError;
  changes: FileChange[];
  found: CommandFound;
  elsewhere: Elsewhere[];
  asks: DecisionRequest[];
  /** For the model; '' where there is nothing to say. */
  text: string;
}

/** `who`: nobody of ours could have done it at that time, or the human's editor did. */
interface Changed {
  path: Path;
  kind: TreeChange['kind'];
  before: Hash | null | undefined;
  now: OnDisk;
  /** A copy of what is there now is stored. */
  copied: boolean;
  who: 'command' | 'human';
  hit?: Hit;
  /** What became of the marks of the human's lines. */
  marks?: Pick<FileChange, 'owned' | 'lost'>;
}

export class CommandWatch {
  private readonly open = new Map<string, Before>();
  private readonly memory: CommandMemory;
  private untold: TreeLook | undefined;

  constructor(private readonly ports: Ports) {
    this.memory = new CommandMemory(ports);
  }

  /** A run begins: what is there now is what it is compared with. Not waited for. */
  begin(runId: string): void {
    const { tree, log } = this.ports;
    const options = { budgetMs: LOOK_BUDGET_MS * 6, signal: new AbortController().signal };
    void tree?.look(runId, options).catch((error: unknown) => log.error('the workspace was not looked at', error));
  }

  /** What was returned until now stands in the journal. What nobody tells so comes back with the next look. */
  told(): void {
    this.untold = undefined;
  }

  /**
   * Everything that has changed in the workspace since it was told last, but for what the run knows and what a command of it did.
   * `mine`: whether a frozen command may have changed a file at that time.
   */
  async others(
    state: RunState,
    signal: AbortSignal,
  ): Promise<{ changes: Elsewhere[]; partial?: string; mine: (ctimeMs: number | undefined) => boolean }> {
    const frozen = state.frozen === null ? undefined : this.open.get(state.frozen);
    const mine = (ctimeMs: number | undefined): boolean => frozen !== undefined && didIt(frozen, ctimeMs);
    const seen = await this.look(state.runId, LOOK_BUDGET_MS, signal);
    if (!seen) return { changes: [], mine };
    const rest = frozen ? await this.takeStanding(state, frozen, seen) : seen.changes;
    const partial = seen.first ? 'nothing was remembered of the workspace' : seen.partial;
    return { changes: elsewhere(state, rest), ...(partial === undefined ? {} : { partial }), mine };
  }

  /** Before a command. `spans` is filled while it runs. Rejects with the signal's reason. */
  async before(state: RunState, stepId: string, spans: readonly Span[], signal: AbortSignal): Promise<Findings> {
    const { ports } = this;
    // Without time stamps to tell by, what changes meanwhile counts as the human's.
    if (!ports.tree) return NOTHING;
    const seen = await this.look(state.runId, LOOK_BUDGET_MS, signal);
    const before = nothingYet(spans);
    // What changed until now is told with the next report; for the command only what could not be looked at matters.
    if (seen?.partial !== undefined) before.partial = seen.partial;
    await this.memory.ofFiles(state, before, signal);
    await this.memory.ofEditors(before, signal);
    if (seen) await this.memory.ofLoose(seen, before, signal);
    this.open.set(stepId, before);
    return { elsewhere: elsewhere(state, seen?.changes ?? []), theirs: theirsOf(state, before), whole: true };
  }

  /**
   * Before a frozen command goes on, be it to its end: what the human did while it stood is remembered as what it found, their
   * lines and bytes kept. Nothing of it may run before. Returns what nobody has been told of. Rejects with the signal's reason,
   * and when the bytes cannot be stored.
   */
  async again(state: RunState, stepId: string, budgetMs: number, signal: AbortSignal): Promise<Findings> {
    const before = this.open.get(stepId);
    if (!before) return NOTHING;
    const seen = await this.look(state.runId, budgetMs, signal);
    const rest = seen ? await this.takeStanding(state, before, seen) : [];
    if (seen?.partial !== undefined) before.partial ??= seen.partial;
    const read = await this.memory.ofFiles(state, before, signal);
    await this.memory.ofEditors(before, signal);
    const remembered = seen ? await this.memory.ofLoose(seen, before, signal) : new Set<Path>();
    const kept = await this.memory.ofStanding(before, remembered, signal);
    const whole = read && kept && seen !== undefined && seen.partial === undefined && !seen.first;
    return { elsewhere: elsewhere(state, rest), theirs: theirsOf(state, before), whole };
  }

  /** After a command. `hurried`: a stop waits for it. */
  async after(state: RunState, step: Step, hurried: boolean): Promise<CommandEffect | undefined> {
    const before = this.open.get(step.id);
    if (!before) return undefined;
    this.open.delete(step.id);
    const seen = await this.look(state.runId, hurried ? HURRIED_MS : LOOK_BUDGET_MS, new AbortController().signal);
    const listed = new Map([...before.early, ...(seen?.changes ?? []).map((c) => [c.path, c] as const)]);
    const keep = new Keeper(this.ports);
    const former = seen ? await this.formerBytes(seen, [...listed.keys()], keep) : new Map<Path, Hash>();
    const paths = [...new Set([...before.hashes.keys(), ...listed.keys()])].sort();
    const changed: Changed[] = [];
    let uncounted = 0;
    for (const path of paths) {
      const change = listed.get(path);
      if (changed.length >= MOST_FILES && !before.hashes.has(path)) {
        uncounted += 1;
        continue;
      }
      const one = await this.changed({ state, before, former, keep }, path, change);
      if (one) changed.push(one);
    }
    const partial = [before.partial, seen?.first ? 'nothing was remembered of the workspace' : seen?.partial]
      .filter((reason) => reason !== undefined)
      .join('; ');
    const { lost } = keep;
    return { ...this.effect(state, step, changed, { uncounted, listed, partial }), ...(lost ? { lost } : {}) };
  }

  private async look(runId: string, budgetMs: number, signal: AbortSignal): Promise<TreeLook | undefined> {
    const { tree, log } = this.ports;
    if (!tree) return undefined;
    const seen = await tree.look(runId, { budgetMs, signal }).catch((error: unknown): TreeLook => {
      signal.throwIfAborted();
      log.error('the workspace could not be looked at', error);
      const before = (): Promise<Map<Path, Uint8Array>> => Promise.resolve(new Map<Path, Uint8Array>());
      return { first: false, partial: 'it could not be looked at', changes: [], loose: [], before };
    });
    return (this.untold = joined(this.untold, seen));
  }

  /** What the repository had of files at the look before, stored; their hashes. */
  private async formerBytes(seen: TreeLook, paths: readonly Path[], keep?: Keeper): Promise<Map<Path, Hash>> {
    const hashes = new Map<Path, Hash>();
    for (const [path, bytes] of await seen.before(paths.slice(0, MOST_FILES))) {
      hashes.set(path, this.ports.hash(bytes));
      await (keep ? keep.bytes(path, bytes) : keepBytes(this.ports, path, bytes));
    }
    return hashes;
  }

  /**
   * A look between freeze and end moves the memory on: what the command did until then is put aside, and what the human has done
   * while it stood, former bytes and all. Returns the human's.
   */
  private async takeStanding(state: RunState, frozen: Before, seen: TreeLook): Promise<TreeChange[]> {
    const early = seen.changes.filter((change) => didIt(frozen, change.ctimeMs));
    const rest = seen.changes.filter((change) => !early.includes(change));
    const once = new Set(seen.loose.map((file) => file.path));
    const run = new Set(state.files.map((file) => file.path));
    const theirs = rest.filter(({ path }) => !run.has(path));
    const asked = [...early, ...theirs.filter(({ path }) => once.has(path) && !frozen.hashes.has(path))];
    const former = await this.formerBytes(
      seen,
      asked.map((change) => change.path),
    );
    const was = ({ path, kind }: TreeChange): Hash | null | undefined =>
      former.get(path) ?? (kind === 'created' ? null : undefined);
    for (const change of early) {
      const hash = was(change);
      frozen.early.set(change.path, change);
      if (hash !== undefined && !frozen.hashes.has(change.path)) frozen.hashes.set(change.path, hash);
    }
    for (const change of theirs) {
      const { path, kind } = change;
      const first = frozen.standing.get(path);
      const hash = first ? first.former : frozen.hashes.has(path) ? frozen.hashes.get(path) : was(change);
      frozen.standing.set(path, { former: hash, gone: kind === 'deleted', once: once.has(path), fresh: true });
    }
    return rest;
  }

  private async changed(
    at: { state: RunState; before: Before; former: ReadonlyMap<Path, Hash>; keep: Keeper },
    path: Path,
    change: TreeChange | undefined,
  ): Promise<Changed | undefined> {
    const { state, before, former, keep } = at;
    const { disk } = this.memory;
    const there = await disk.at(path);
    // What a new link leads to is another file.
    const relinked = there.isLink === true && before.files.has(path);
    const found: OnDisk = relinked ? { hash: undefined, size: 0 } : there;
    // What cannot be read is not known to have changed.
    if (found.hash === undefined && !change && !relinked) return undefined;
    const kept = before.hashes.get(path);
    const was = kept === undefined ? (former.get(path) ?? (change?.kind === 'created' ? null : undefined)) : kept;
    if (found.hash !== undefined && was === found.hash) return undefined;
    if (was === undefined && !change) return undefined;
    const now = await disk.read(path, found);
    const kind = now.hash === null ? 'deleted' : was === null ? 'created' : 'changed';
    // Saved by the human while it ran: their text, not the command's.
    const saved = typeof now.hash === 'string' && before.unsaved.get(path) === now.hash;
    const time = relinked ? undefined : (now.ctimeMs ?? change?.ctimeMs);
    const who = saved || !within(before.spans, time) ? 'human' : 'command';
    const copied = await keep.bytes(path, now.bytes);
    const lines = await linesAfter(this.ports, path, before.owned.get(path), was, now);
    const hit =
      who === 'command'
        ? await hitOf(this.ports, state, {
            ...{ path, before: was, now, copied, lost: lines?.lost ?? [] },
            ...(before.standing.get(path)?.once ? { standing: true } : {}),
          })
        : undefined;
    return {
      path,
      kind,
      before: was,
      now,
      copied,
      who,
      ...(hit ? { hit } : {}),
      ...(lines ? { marks: lines.marks } : {}),
    };
  }

  private effect(
    state: RunState,
    step: Step,
    changed: readonly Changed[],
    more: { uncounted: number; listed: ReadonlyMap<Path, TreeChange>; partial: string },
  ): CommandEffect {
    const own = changed.filter((one) => one.who === 'command');
    const theirs = changed.filter((one) => one.who === 'human');
    const changes: FileChange[] = [];
    const others: Path[] = [];
    const asks: DecisionRequest[] = [];
    for (const { path, before, now, copied, hit, marks } of own) {
      if (before === undefined || now.hash === undefined) others.push(path);
      else {
        const noBlob = typeof now.hash === 'string' && !copied;
        changes.push({
          ...{
            path,
            before,
            after: now.hash,
            size: now.size,
            command: hit ? ('contested' as const) : ('only' as const),
          },
          ...(noBlob ? { noBlob } : {}),
          ...(marks ?? {}),
        });
      }
      if (hit) asks.push(hit.ask(step));
    }
    const count = (kind: TreeChange['kind']): number => own.filter((one) => one.kind === kind).length;
    const found: CommandFound = {
      ...{ created: count('created'), changed: count('changed') + more.uncounted, deleted: count('deleted') },
      others: others.slice(0, 50),
      ...(more.partial === '' ? {} : { partial: more.partial }),
    };
    const unknownTheirs = theirs.filter((one) => !fileOf(state, one.path)).map(({ path, kind }) => ({ path, kind }));
    const text = effectWords({
      own: own.map(({ path, kind }) => ({ path, kind })),
      uncounted: more.uncounted,
      theirs: theirs.map((one) => one.path),
      hits: own.flatMap((one) => (one.hit ? [one.path] : [])),
      partial: more.partial,
    });
    return { changes, found, elsewhere: unknownTheirs, asks, text };
  }
}

/** Without the files of the run, which are compared by their bytes. */
function elsewhere(state: RunState, changes: readonly TreeChange[]): Elsewhere[] {
  const known = new Set(state.files.map((file) => file.path));
  // A command that its host's end cut off may have made them, as one in the background may.
  const cutOff = cutOffCommand(state);
  const by = ({ ctimeMs }: TreeChange): { background?: true } =>
    state.background.length > 0 || (cutOff && mayHaveDone(state, cutOff, ctimeMs)) ? { background: true } : {};
  return changes
    .filter(({ path }) => !known.has(path))
    .map((change) => ({ path: change.path, kind: change.kind, ...by(change) }));
}

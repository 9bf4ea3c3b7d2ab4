/**
 * What a command did to files: the workspace is looked at before it and after it. The files of the run are compared by their
 * bytes, the others by size and time of their last change (`Tree`).
 */
import type { Hash, Path, Ports } from '../ports';
import type { CommandFound, DecisionRequest, Elsewhere, FileChange, RunState, Step } from '../run/state';
import { fileOf } from '../run/update';
import { LOOK_BUDGET_MS, type TreeChange, type TreeLook } from '../tree';
import { ownedNow } from '../tools/ownership';
import { isSecret } from '../tools/policy';
import type { Owned } from './owned';
import { look } from '../world';
import { effectWords } from './commandWords';
import { hitOf, linesAfter, type Hit } from './commandHits';
import { keepBytes, onDisk, type OnDisk } from './onDisk';

/** A stretch of time in which a command ran, in the file system's time. Its last has no end while it runs. */
export interface Span {
  from: number;
  to: number;
}

/** Time stamps of files are taken from a clock that lags behind, by up to this, ms. */
const LAG = 20;
/** Files that are looked at one by one after a command; the others are counted. */
const MOST_FILES = 400;
/** What is kept before a command, of files no repository holds. */
const KEEP_FILES = 400;
const KEEP_EACH = 1024 * 1024;
const KEEP_ALL = 16 * 1024 * 1024;
/** When somebody waits for the stop. */
const HURRIED_MS = 2000;

/** What there was before a command. */
interface Before {
  spans: readonly Span[];
  /** Bytes on disk of the run's files and of what was kept besides. */
  hashes: Map<Path, Hash | null>;
  /** The human's lines in it. */
  owned: Map<Path, Owned>;
  /** Unsaved text of the human. */
  unsaved: Map<Path, Hash>;
  /** What it had done before it was frozen. */
  early: Map<Path, TreeChange>;
  partial?: string;
}

export interface CommandEffect {
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
  who: 'command' | 'human';
  hit?: Hit;
  /** What became of the marks of the human's lines. */
  marks?: Pick<FileChange, 'owned' | 'lost'>;
}

const within = (spans: readonly Span[], time: number | undefined): boolean =>
  time === undefined || spans.some(({ from, to }) => time >= from - LAG && time < to);

export class CommandWatch {
  private readonly open = new Map<string, Before>();
  /** Content stored before, by size and time: it is not read again for each command. */
  private readonly kept = new Map<Path, { size: number; ctimeMs: number; hash: Hash }>();

  constructor(private readonly ports: Ports) {}

  /** A run begins: what is there now is what it is compared with. Not waited for. */
  begin(runId: string): void {
    const { tree, log } = this.ports;
    const options = { budgetMs: LOOK_BUDGET_MS * 6, signal: new AbortController().signal };
    void tree?.look(runId, options).catch((error: unknown) => log.error('the workspace was not looked at', error));
  }

  /**
   * Everything that has changed in the workspace since the last look, but for what the run knows and what a command of it did.
   * `mine`: whether a frozen command may have changed a file at that time.
   */
  async others(
    state: RunState,
    signal: AbortSignal,
  ): Promise<{ changes: Elsewhere[]; partial?: string; mine: (ctimeMs: number | undefined) => boolean }> {
    const frozen = state.frozen === null ? undefined : this.open.get(state.frozen);
    const mine = (ctimeMs: number | undefined): boolean =>
      frozen !== undefined && ctimeMs !== undefined && within(frozen.spans, ctimeMs);
    const seen = await this.look(state.runId, LOOK_BUDGET_MS, signal);
    if (!seen) return { changes: [], mine };
    const early = frozen ? seen.changes.filter((change) => mine(change.ctimeMs)) : [];
    if (frozen) await this.takeEarly(frozen, seen, early);
    const rest = seen.changes.filter((change) => !early.includes(change));
    const partial = seen.first ? 'nothing was remembered of the workspace' : seen.partial;
    return { changes: elsewhere(state, rest), ...(partial === undefined ? {} : { partial }), mine };
  }

  /** Before a command. `spans` is filled while it runs. Rejects with the signal's reason. */
  async before(state: RunState, stepId: string, spans: readonly Span[], signal: AbortSignal): Promise<Elsewhere[]> {
    const { ports } = this;
    // Without time stamps to tell by, what changes meanwhile counts as the human's.
    if (!ports.tree) return [];
    const seen = await this.look(state.runId, LOOK_BUDGET_MS, signal);
    const before: Before = { spans, hashes: new Map(), owned: new Map(), unsaved: new Map(), early: new Map() };
    // What changed until now is told with the next report; for the command only what could not be looked at matters.
    if (seen?.partial !== undefined) before.partial = seen.partial;
    for (const { path, known } of state.files) {
      signal.throwIfAborted();
      const now = await onDisk(ports, path);
      if (now.hash === undefined) continue;
      before.hashes.set(path, now.hash);
      const owned = now.hash === null ? undefined : await ownedNow({ ports, state }, await look(ports, path));
      if (owned) before.owned.set(path, owned);
      // The human's of this very moment: in no blob yet.
      if (now.hash !== known) await keepBytes(ports, path, now.bytes);
    }
    for (const path of ports.buffers.dirty()) {
      const now = await look(ports, path);
      if (!now.dirty || now.hash === null) continue;
      before.unsaved.set(path, now.hash);
      await keepBytes(ports, path, now.bytes);
    }
    if (seen) await this.keepLoose(seen, before, signal);
    this.open.set(stepId, before);
    return elsewhere(state, seen?.changes ?? []);
  }

  /** After a command. `hurried`: a stop waits for it. */
  async after(state: RunState, step: Step, hurried: boolean): Promise<CommandEffect | undefined> {
    const before = this.open.get(step.id);
    if (!before) return undefined;
    this.open.delete(step.id);
    const seen = await this.look(state.runId, hurried ? HURRIED_MS : LOOK_BUDGET_MS, new AbortController().signal);
    const listed = new Map([...before.early, ...(seen?.changes ?? []).map((c) => [c.path, c] as const)]);
    const former = seen ? await this.formerBytes(seen, [...listed.keys()]) : new Map<Path, Hash>();
    const paths = [...new Set([...before.hashes.keys(), ...listed.keys()])].sort();
    const changed: Changed[] = [];
    let uncounted = 0;
    for (const path of paths) {
      const change = listed.get(path);
      if (changed.length >= MOST_FILES && !before.hashes.has(path)) {
        uncounted += 1;
        continue;
      }
      const one = await this.changed(state, before, former, path, change);
      if (one) changed.push(one);
    }
    const partial = [before.partial, seen?.first ? 'nothing was remembered of the workspace' : seen?.partial]
      .filter((reason) => reason !== undefined)
      .join('; ');
    return this.effect(state, step, changed, { uncounted, listed, partial });
  }

  private async look(runId: string, budgetMs: number, signal: AbortSignal): Promise<TreeLook | undefined> {
    try {
      return await this.ports.tree?.look(runId, { budgetMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      this.ports.log.error('the workspace could not be looked at', error);
      return {
        first: false,
        partial: 'it could not be looked at',
        changes: [],
        loose: [],
        before: () => Promise.resolve(new Map()),
      };
    }
  }

  /** Files that exist only once: kept, newest first, within limits. */
  private async keepLoose(seen: TreeLook, before: Before, signal: AbortSignal): Promise<void> {
    let left = KEEP_ALL;
    for (const { path, size, ctimeMs } of seen.loose.slice(0, KEEP_FILES)) {
      if (before.hashes.has(path) || size > KEEP_EACH || size > left) continue;
      signal.throwIfAborted();
      left -= size;
      const known = this.kept.get(path);
      if (known?.size === size && known.ctimeMs === ctimeMs) {
        before.hashes.set(path, known.hash);
        continue;
      }
      const now = await onDisk(this.ports, path);
      if (typeof now.hash !== 'string') continue;
      before.hashes.set(path, now.hash);
      if ((await keepBytes(this.ports, path, now.bytes)) && now.size === size && now.ctimeMs === ctimeMs)
        this.kept.set(path, { size, ctimeMs, hash: now.hash });
    }
  }

  /** What the repository had of files at the look before, stored; their hashes. */
  private async formerBytes(seen: TreeLook, paths: readonly Path[]): Promise<Map<Path, Hash>> {
    const hashes = new Map<Path, Hash>();
    for (const [path, bytes] of await seen.before(paths.slice(0, MOST_FILES))) {
      hashes.set(path, this.ports.hash(bytes));
      await keepBytes(this.ports, path, bytes);
    }
    return hashes;
  }

  /** A look between freeze and end moves the memory on: what the command did until then is put aside, former bytes and all. */
  private async takeEarly(frozen: Before, seen: TreeLook, early: readonly TreeChange[]): Promise<void> {
    const former = await this.formerBytes(
      seen,
      early.map((change) => change.path),
    );
    for (const change of early) {
      frozen.early.set(change.path, change);
      const hash = former.get(change.path) ?? (change.kind === 'created' ? null : undefined);
      if (hash !== undefined && !frozen.hashes.has(change.path)) frozen.hashes.set(change.path, hash);
    }
  }

  private async changed(
    state: RunState,
    before: Before,
    former: ReadonlyMap<Path, Hash>,
    path: Path,
    change: TreeChange | undefined,
  ): Promise<Changed | undefined> {
    const now = await onDisk(this.ports, path);
    const kept = before.hashes.get(path);
    const was = kept === undefined ? (former.get(path) ?? (change?.kind === 'created' ? null : undefined)) : kept;
    if (now.hash !== undefined && was === now.hash) return undefined;
    if (was === undefined && !change) return undefined;
    // Told by the report when it was frozen.
    if (before.spans.length > 1 && fileOf(state, path)?.known === now.hash) return undefined;
    const kind = now.hash === null ? 'deleted' : was === null ? 'created' : 'changed';
    // Saved by the human while it ran: their text, not the command's.
    const saved = now.hash !== null && before.unsaved.get(path) === now.hash;
    const who = saved || !within(before.spans, now.ctimeMs ?? change?.ctimeMs) ? 'human' : 'command';
    const lines = await linesAfter(this.ports, path, before.owned.get(path), was, now);
    const hit =
      who === 'command'
        ? await hitOf(this.ports, state, { path, before: was, now, lost: lines?.lost ?? [] })
        : undefined;
    await keepBytes(this.ports, path, now.bytes);
    return { path, kind, before: was, now, who, ...(hit ? { hit } : {}), ...(lines ? { marks: lines.marks } : {}) };
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
    for (const { path, before, now, hit, marks } of own) {
      if (before === undefined || now.hash === undefined) others.push(path);
      else {
        const noBlob = typeof now.hash === 'string' && !hasBlob(this.ports, path, now);
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

const hasBlob = (ports: Ports, path: Path, now: OnDisk): boolean =>
  now.bytes !== undefined && !isSecret(path, ports.settings);

/** Without the files of the run, which are compared by their bytes. */
function elsewhere(state: RunState, changes: readonly TreeChange[]): Elsewhere[] {
  const known = new Set(state.files.map((file) => file.path));
  // A command that its host's end cut off may have made them, as one in the background may.
  const last = state.steps.findLast((step) => step.outcome !== 'notStarted');
  const cutOff = state.stale && last?.tool === 'run_command' && last.reason === 'interrupted';
  const background = state.background.length > 0 || cutOff ? { background: true as const } : {};
  return changes.filter(({ path }) => !known.has(path)).map(({ path, kind }) => ({ path, kind, ...background }));
}

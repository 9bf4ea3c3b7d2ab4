/**
 * What is remembered of files before a command may touch them, at its start and each time it goes on after it stood: their bytes,
 * kept within limits, and whose lines they hold.
 */
import type { Hash, Path, Ports } from '../ports';
import type { FileRecord, RunState, Theirs } from '../run/state';
import { breather, ownedNow } from '../tools/ownership';
import type { TreeChange, TreeLook } from '../tree';
import { BLOB_LIMIT, look } from '../world';
import { charsetAt } from './charset';
import { DiskMemory } from './diskMemory';
import { keepBytes, onDisk } from './onDisk';
import { allLines, markHumanSlowly, type Owned } from './owned';
import { decode } from './text';

/** A stretch of time in which a command ran, in the file system's time. Its last has no end while it runs. */
export interface Span {
  from: number;
  to: number;
}

/** Time stamps of files are taken from a clock that lags behind, by up to this, ms. */
const LAG = 20;
/** What is kept before a command, of files no repository holds. */
const KEEP_FILES = 400;
const KEEP_EACH = 1024 * 1024;
const KEEP_ALL = 16 * 1024 * 1024;

/** A file that is none of the run's and that the human changed while the command stood. */
export interface Standing {
  /** What it held before they did; null: it was not there, undefined: not known. */
  former: Hash | null | undefined;
  /** They deleted it. */
  gone: boolean;
  /** No repository holds what they made of it. */
  once: boolean;
  /** Seen since the command ran last: what was remembered of it is not what the command finds. */
  fresh: boolean;
}

/** What there was before a command. */
export interface Before {
  spans: readonly Span[];
  /** Bytes on disk of the run's files and of what was kept besides. */
  hashes: Map<Path, Hash | null>;
  /** The human's lines in it. */
  owned: Map<Path, Owned>;
  /** Those that were files of their own, no links. */
  files: Set<Path>;
  /** Unsaved text of the human. */
  unsaved: Map<Path, Hash>;
  /** What it had done before it was frozen. */
  early: Map<Path, TreeChange>;
  /** What the human did while it stood. */
  standing: Map<Path, Standing>;
  partial?: string;
}

export const nothingYet = (spans: readonly Span[]): Before => ({
  ...{
    spans,
    hashes: new Map(),
    owned: new Map(),
    files: new Set(),
    unsaved: new Map(),
    early: new Map(),
    standing: new Map(),
  },
});

export const within = (spans: readonly Span[], time: number | undefined): boolean =>
  time === undefined || spans.some(({ from, to }) => time >= from - LAG && time < to);

/** A change of that time the command may have made itself; what has no time (it is gone) is not put down to it. */
export const didIt = ({ spans }: Before, ctimeMs: number | undefined): boolean =>
  ctimeMs !== undefined && within(spans, ctimeMs);

/** Most that are written down before a command goes on. */
const MOST_THEIRS = 200;

/** Of what is remembered, the human's own files, the newest first: the files of the run stand in its state. */
export function theirsOf({ files, made = [] }: Pick<RunState, 'files' | 'made'>, before: Before): Theirs[] {
  const run = new Set(files.map((file) => file.path));
  const paths = new Set([...before.standing.keys(), ...made.filter((path) => before.hashes.has(path)).reverse()]);
  return [...paths]
    .filter((path) => !run.has(path))
    .slice(0, MOST_THEIRS)
    .map((path) => {
      const [hash, owned] = [before.hashes.get(path), before.owned.get(path)];
      return {
        path,
        ...(hash === undefined ? {} : { hash }),
        ...(owned ? { owned } : {}),
        ...(before.standing.get(path)?.once ? { standing: true } : {}),
      };
    });
}

/** Nothing has changed since the run's last look: its marks count as they are. */
const isAsKnown = ({ known, owned }: FileRecord, hash: Hash): boolean =>
  known === hash && (owned === undefined || owned.of === hash);

export class CommandMemory {
  /** Content stored before, by size and time: it is not read again for each command. */
  private readonly kept = new Map<Path, { size: number; ctimeMs: number; hash: Hash }>();

  readonly disk: DiskMemory;

  constructor(private readonly ports: Ports) {
    this.disk = new DiskMemory(ports);
  }

  /**
   * Files of the run. What the command has made of one until now is no part of what it found. false: one that could be read before
   * cannot be read now: nothing older counts.
   */
  async ofFiles(state: RunState, before: Before, signal: AbortSignal): Promise<boolean> {
    const { ports } = this;
    let whole = true;
    for (const record of state.files) {
      const { path, known } = record;
      signal.throwIfAborted();
      const now = await this.disk.at(path);
      if (now.hash === undefined && typeof before.hashes.get(path) === 'string') {
        whole = false;
        before.hashes.delete(path);
        before.owned.delete(path);
        before.standing.set(path, { former: undefined, gone: false, once: true, fresh: false });
      }
      if (now.hash === undefined || didIt(before, now.ctimeMs)) continue;
      if (now.hash === null || now.isLink) before.files.delete(path);
      else before.files.add(path);
      if (before.hashes.get(path) === now.hash) continue;
      // The human's of this very moment: in no blob yet.
      if (now.hash !== known) await keepBytes(ports, path, (await this.disk.read(path, now)).bytes);
      before.hashes.set(path, now.hash);
      const owned =
        now.hash === null
          ? undefined
          : isAsKnown(record, now.hash) && !ports.buffers.get(path)?.dirty
            ? record.owned
            : await ownedNow({ ports, state }, await look(ports, path));
      if (owned) before.owned.set(path, owned);
      else before.owned.delete(path);
    }
    return whole;
  }

  /** Unsaved text. */
  async ofEditors(before: Before, signal: AbortSignal): Promise<void> {
    const { ports } = this;
    before.unsaved.clear();
    for (const path of ports.buffers.dirty()) {
      signal.throwIfAborted();
      const now = await look(ports, path);
      if (!now.dirty || now.hash === null) continue;
      before.unsaved.set(path, now.hash);
      await keepBytes(ports, path, now.bytes);
    }
  }

  /** Files that exist only once: kept, newest first, within limits. Those that are remembered now. */
  async ofLoose(seen: TreeLook, before: Before, signal: AbortSignal): Promise<Set<Path>> {
    const remembered = new Set<Path>();
    let left = KEEP_ALL;
    for (const { path, size, ctimeMs } of seen.loose.slice(0, KEEP_FILES)) {
      const old = before.hashes.has(path) || before.early.has(path);
      const fresh = before.standing.get(path)?.fresh === true;
      // What the human has just made is kept, however much there is of it.
      if ((old && !fresh) || size > (fresh ? BLOB_LIMIT : KEEP_EACH) || (size > left && !fresh)) continue;
      signal.throwIfAborted();
      left -= size;
      const known = this.kept.get(path);
      if (known?.size === size && known.ctimeMs === ctimeMs) {
        before.hashes.set(path, known.hash);
        remembered.add(path);
        continue;
      }
      const now = await onDisk(this.ports, path);
      if (typeof now.hash !== 'string') continue;
      before.hashes.set(path, now.hash);
      remembered.add(path);
      if ((await keepBytes(this.ports, path, now.bytes)) && now.size === size && now.ctimeMs === ctimeMs)
        this.kept.set(path, { size, ctimeMs, hash: now.hash });
    }
    return remembered;
  }

  /**
   * Files that the human changed while the command stood, and the run never read: what they put in is theirs. Of what could not be
   * `remembered` nothing older counts. false: one of these exists nowhere else.
   */
  async ofStanding(before: Before, remembered: ReadonlySet<Path>, signal: AbortSignal): Promise<boolean> {
    let whole = true;
    for (const [path, standing] of before.standing) {
      signal.throwIfAborted();
      const { former, gone, fresh, once } = standing;
      if (!fresh) continue;
      if (once && !gone && !remembered.has(path)) whole = false;
      const hash = remembered.has(path) ? before.hashes.get(path) : undefined;
      const owned = typeof hash === 'string' && hash !== former ? await this.madeOf(path, former, hash) : undefined;
      before.early.delete(path);
      if (gone) before.hashes.set(path, null);
      else if (hash === undefined) before.hashes.delete(path);
      if (owned) before.owned.set(path, owned);
      else before.owned.delete(path);
      before.standing.set(path, { ...standing, fresh: false });
    }
    return whole;
  }

  private async madeOf(path: Path, former: Hash | null | undefined, hash: Hash): Promise<Owned | undefined> {
    const { blobs } = this.ports.store;
    const as = await charsetAt(this.ports.buffers, path);
    const read = async (of: Hash): Promise<string | undefined> => {
      const bytes = await blobs.get(of);
      return bytes && decode(bytes, as)?.text;
    };
    const old = former === null ? '' : former === undefined ? undefined : await read(former);
    const text = await read(hash);
    if (old === undefined || text === undefined)
      return { of: hash, ranges: text === undefined ? [] : allLines(text), whole: true };
    const ranges = await markHumanSlowly(old, [], text, breather(this.ports));
    return ranges.length > 0 ? { of: hash, ranges } : undefined;
  }
}

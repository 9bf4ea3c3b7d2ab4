/**
 * The `Tree` port on a disk. Where there is git, a copy of the repository's index in a git folder of ours says what changed,
 * in the time of one `git status`; elsewhere a bounded walk over sizes and times. Nothing of the user's repository is written.
 */
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Path } from '../core/ports';
import type { LookOptions, Tree, TreeChange, TreeFile, TreeLook } from '../core/tree';
import type { Root } from './files/roots';
import { contains } from './files/roots';
import { walkFolders } from './files/walk';
import { type FsCalls, realFs, unlessMissing } from './fs';
import { type Area, compare, type Mark, under } from './tree/area';
import { differences, gitLinks, indexed, takeIndex, type GitLook } from './tree/gitArea';
import { fileTimePassed } from './tree/fileTime';
import { dropOldIndexes, loadMemory, saveMemory } from './tree/memory';
import { findGit } from './tree/program';
import { indexStamp, type Repository, repositoryOf, Shadow } from './tree/shadow';

/** Entries of a folder without git that are looked at. */
const MAX_ENTRIES = 200_000;
/** So much seen and not at the end: the next walk will not get there either. */
const LARGE = 20_000;
/** Repositories inside repositories that are looked at. */
const MAX_AREAS = 100;
const MAX_LOOSE = 2000;
/** Former bytes come back for files up to this size. */
const MAX_BYTES = 10 * 1024 * 1024;

export interface NodeTreeOptions {
  roots: readonly Root[];
  /** The extension's storage: memories are kept below `runs/`. */
  dir: string;
  fs?: FsCalls;
  /** Absent: looked for on PATH. For tests: undefined as the value means that there is none. */
  git?: { program: string | undefined };
}

interface Looking {
  runId: string;
  folder: string;
  before: Map<string, Area>;
  first: boolean;
  areas: Area[];
  changes: TreeChange[];
  partial: Set<string>;
  /** The caller's stop. */
  stop: AbortSignal;
  /** That, or the end of the time there is. */
  signal: AbortSignal;
}

export class NodeTree implements Tree {
  private readonly fs: FsCalls;
  private readonly memories = new Map<string, Area[]>();
  private readonly shadows = new Map<string, Promise<Shadow>>();
  /** Folders without git that could not be walked in time: not tried again. */
  private readonly tooLarge = new Set<string>();
  private program: Promise<string | undefined> | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private copies = Date.now();

  constructor(private readonly options: NodeTreeOptions) {
    this.fs = options.fs ?? realFs;
  }

  now(): number {
    return Date.now();
  }

  passed(time: number): Promise<void> {
    return fileTimePassed(time);
  }

  look(runId: string, options: LookOptions): Promise<TreeLook> {
    const work = this.turn.then(() => this.lookNow(runId, options));
    this.turn = work.catch(() => undefined);
    return work;
  }

  async forget(runId: string): Promise<void> {
    const work = this.turn.then(async () => {
      this.memories.delete(runId);
      for (const dir of this.shadows.keys()) if (contains(this.folder(runId), dir)) this.shadows.delete(dir);
      await rm(this.folder(runId), { recursive: true, force: true });
    });
    this.turn = work.catch(() => undefined);
    await work.catch(() => undefined);
  }

  private folder(runId: string): string {
    return path.join(this.options.dir, 'runs', path.basename(runId), 'tree');
  }

  private async lookNow(runId: string, { budgetMs, signal }: LookOptions): Promise<TreeLook> {
    signal.throwIfAborted();
    const folder = this.folder(runId);
    const remembered = this.memories.get(runId) ?? (await loadMemory(folder));
    const looking: Looking = {
      ...{ runId, folder, first: remembered === undefined, areas: [], changes: [], partial: new Set() },
      before: new Map((remembered ?? []).map((area) => [area.dir, area])),
      stop: signal,
      signal: AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]),
    };
    for (const root of this.options.roots) {
      const dir = await unlessMissing(this.fs.realpath(root.dir));
      const prefix = this.options.roots.length > 1 ? root.name : '';
      if (dir === undefined) looking.partial.add(`the workspace folder ${root.name} is gone`);
      else await this.lookInto(looking, dir, prefix, true);
      signal.throwIfAborted();
    }
    const kept = new Set(looking.areas.map((area) => area.dir));
    for (const gone of looking.before.values())
      if (!kept.has(gone.dir) && !looking.signal.aborted)
        looking.partial.add(`the repository in ${gone.prefix} is gone`);
    if (looking.areas.length > 0) await this.keep(runId, folder, looking.areas, remembered ?? []);
    return {
      first: looking.first,
      ...(looking.partial.size > 0 ? { partial: [...looking.partial].join('; ') } : {}),
      changes: looking.first ? [] : looking.changes.sort((a, b) => (a.path < b.path ? -1 : 1)),
      loose: looseOf(looking.areas),
      before: (paths) => this.before(looking, paths, signal),
    };
  }

  private async keep(runId: string, folder: string, areas: Area[], before: readonly Area[]): Promise<void> {
    const older = this.memories.get(runId) === undefined ? [] : before;
    this.memories.set(runId, areas);
    // Only a shortcut: on a full disk the next start looks for the first time.
    await saveMemory(folder, areas).catch(() => undefined);
    // The index before the last is still needed for the bytes of before.
    await dropOldIndexes([...areas, ...before], older).catch(() => undefined);
  }

  /** `whole`: a workspace folder; else a repository inside another one. */
  private async lookInto(looking: Looking, dir: string, prefix: string, whole: boolean): Promise<void> {
    if (looking.areas.length >= MAX_AREAS || looking.areas.some((area) => area.dir === dir)) return;
    const old = looking.before.get(dir);
    if (!old && !looking.first && !whole) looking.changes.push({ path: prefix, kind: 'created', size: 0 });
    try {
      const repository = await repositoryOf(this.fs, dir);
      const program = await (this.program ??= this.findProgram());
      if (repository && program !== undefined && (await this.lookByGit(looking, program, repository, dir, prefix, old)))
        return;
      await this.lookByWalk(looking, dir, prefix, old);
    } catch {
      // What it was before stays remembered: the next look tells the changes of both.
      if (old) looking.areas.push(old);
      looking.partial.add(
        looking.signal.aborted
          ? 'there was no time to look at all of it'
          : `${prefix || 'the workspace'} could not be read`,
      );
    }
  }

  private findProgram(): Promise<string | undefined> {
    const given = this.options.git;
    return given
      ? Promise.resolve(given.program)
      : findGit(
          this.fs,
          this.options.roots.map((root) => root.dir),
        );
  }

  /** false: git cannot be used here (too old, a damaged index, or the folder is ignored as a whole). */
  private async lookByGit(
    looking: Looking,
    program: string,
    repository: Repository,
    dir: string,
    prefix: string,
    old: Area | undefined,
  ): Promise<boolean> {
    const { signal } = looking;
    const skip = [this.options.dir];
    let area: Area;
    let nested: string[];
    try {
      const stamp = await indexStamp(this.fs, repository);
      const shadow = await this.shadow(program, repository, looking.folder, dir, signal);
      if (dir !== repository.top && (await isIgnored(shadow, repository.top, dir, signal))) return false;
      const look = (index: string): GitLook => ({ dir, index, signal, skip });
      let found = old?.kind === 'git' ? await differences(this.fs, shadow, look(old.index)) : undefined;
      if (found && old) looking.changes.push(...compare(old.marks, found.marks, prefix));
      let index = old?.kind === 'git' ? old.index : '';
      let links = old?.kind === 'git' ? old.links : [];
      if (!found || old?.kind !== 'git' || old.stamp !== stamp) {
        index = `index-${(this.copies += 1)}`;
        found = await takeIndex(this.fs, shadow, look(index));
        links = await gitLinks(shadow, look(index));
      }
      area = { kind: 'git', dir, prefix, marks: found.marks, shadow: shadow.dir, index, stamp, links };
      nested = [...found.nested, ...links];
    } catch {
      signal.throwIfAborted();
      return false;
    }
    if (old?.kind === 'walk') looking.partial.add(`${prefix || 'the workspace'} became a repository`);
    looking.areas.push(area);
    for (const below of nested) {
      const inner = path.join(dir, ...below.split('/'));
      // A submodule that is not checked out is an empty folder.
      if ((await repositoryOf(this.fs, inner))?.top === inner)
        await this.lookInto(looking, inner, under(prefix, below), false);
    }
    return true;
  }

  private shadow(
    program: string,
    repository: Repository,
    folder: string,
    dir: string,
    signal: AbortSignal,
  ): Promise<Shadow> {
    const name = createHash('sha256').update(`${dir}\0${repository.gitFolder}`).digest('hex').slice(0, 16);
    const at = path.join(folder, name);
    const made =
      this.shadows.get(at) ??
      (async () => {
        await mkdir(at, { recursive: true, mode: 0o700 });
        const shadow = new Shadow(this.fs, program, at, repository);
        await shadow.make(signal);
        return shadow;
      })();
    this.shadows.set(at, made);
    made.catch(() => this.shadows.delete(at));
    return made;
  }

  private async lookByWalk(looking: Looking, dir: string, prefix: string, old: Area | undefined): Promise<void> {
    const known = old?.kind === 'walk' ? old : undefined;
    if (this.tooLarge.has(dir)) {
      looking.partial.add(`${prefix || 'the workspace'} is too large to look at in time`);
      if (known) looking.areas.push(known);
      return;
    }
    const options = { from: '', honourIgnore: true, maxEntries: MAX_ENTRIES, signal: looking.signal };
    const skip = (real: string): boolean => contains(this.options.dir, real);
    const { entries, complete } = await walkFolders(this.fs, [{ folder: dir, path: '' }], options, skip);
    const marks = new Map<string, Mark>();
    for (const { path: below, type, size, ctimeMs } of entries)
      if (type === 'file' || type === 'link') marks.set(below, { size, ctimeMs });
    if (!complete) {
      looking.partial.add(`${prefix || 'the workspace'} is too large to look at in time`);
      // Cut by a stop, or by what came before it, it may do better the next time; large by itself it will not.
      if (!looking.stop.aborted && entries.length >= LARGE) this.tooLarge.add(dir);
    }
    if (old && !known) looking.partial.add(`${prefix || 'the workspace'} can no longer be looked at by git`);
    if (known) {
      const changes = compare(known.marks, marks, prefix);
      looking.changes.push(...(complete ? changes : changes.filter((change) => change.kind === 'changed')));
    }
    if (complete) looking.areas.push({ kind: 'walk', dir, prefix, marks });
    else if (known) {
      const merged = new Map(known.marks);
      for (const [below, mark] of marks) if (merged.has(below)) merged.set(below, mark);
      looking.areas.push({ ...known, marks: merged });
    }
  }

  /** Bytes at the look before, as the index copied then has them. */
  private async before(looking: Looking, paths: readonly Path[], signal: AbortSignal): Promise<Map<Path, Uint8Array>> {
    const found = new Map<Path, Uint8Array>();
    for (const area of looking.before.values()) {
      if (area.kind !== 'git') continue;
      const inside = paths.filter((one) => one.startsWith(area.prefix === '' ? '' : `${area.prefix}/`));
      const below = inside.map((one) => (area.prefix === '' ? one : one.slice(area.prefix.length + 1)));
      // What differed from the index then had other bytes.
      const clean = below.filter((one) => !area.marks.has(one));
      const shadow = await this.shadows.get(area.shadow);
      if (!shadow || clean.length === 0) continue;
      const look: GitLook = { dir: area.dir, index: area.index, signal, skip: [] };
      const bytes = await indexed(shadow, look, clean, MAX_BYTES).catch(() => new Map<string, Uint8Array>());
      for (const [one, content] of bytes) found.set(under(area.prefix, one), content);
    }
    return found;
  }
}

async function isIgnored(shadow: Shadow, top: string, dir: string, signal: AbortSignal): Promise<boolean> {
  const below = path.relative(top, dir).split(path.sep).join('/');
  // Exits 1 where it is not.
  const said = await shadow
    .git(['check-ignore', '-z', '--no-index', '--stdin'], { cwd: top, index: 'none', signal, input: `${below}\0` })
    .catch(() => Buffer.alloc(0));
  return said.length > 0;
}

/** What no repository holds, last changed first. */
function looseOf(areas: readonly Area[]): TreeFile[] {
  return areas
    .flatMap((area) =>
      [...area.marks]
        .filter(([, mark]) => mark.tag !== 'gone')
        .map(([below, { size, ctimeMs }]) => ({ path: under(area.prefix, below), size, ctimeMs })),
    )
    .sort((a, b) => b.ctimeMs - a.ctimeMs)
    .slice(0, MAX_LOOSE);
}

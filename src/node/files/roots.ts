/** From workspace paths to places on disk, and the check that a place may be touched at all. */
import path from 'node:path';
import { FileError } from '../../core/errors';
import type { Path } from '../../core/ports';
import type { FsCalls } from '../fs';
import { unlessMissing } from '../fs';
import { follow, type Followed } from './follow';
import { isGit, segmentsOf } from './names';

export interface Root {
  name: string;
  /** Absolute. */
  dir: string;
}

/** A workspace path as a place: `parent` is real (free of links), `name` stands in it and may itself be a link. */
export interface Place {
  path: Path;
  root: Root;
  parent: string;
  name: string;
  /** parent + name */
  at: string;
}

export class Roots {
  private readonly asked = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly fs: FsCalls,
    readonly list: readonly Root[],
    /** Absolute folders that are never touched: the extension's storage. */
    private readonly reserved: readonly string[],
  ) {}

  /** The root and the segments below it. Throws as `segmentsOf` does, and `ambiguous` with the candidates in `detail`. */
  async split(given: string): Promise<{ root: Root; below: string[] }> {
    const segments = segmentsOf(given);
    const only = this.list[0];
    if (only === undefined) throw new FileError('outside', given, 'no folder is open');
    if (this.list.length === 1) return { root: only, below: segments };
    const root = this.list.find((one) => one.name === segments[0]);
    if (root !== undefined) return { root, below: segments.slice(1) };
    throw new FileError('ambiguous', given, (await this.candidates(segments)).join(', '));
  }

  /** Where a path stands. Throws `outside` or `reserved` when its folder, links followed, may not be touched; `notDirectory`. */
  async place(given: Path): Promise<Place> {
    const { root, below } = await this.split(given);
    const base = await this.realRoot(root);
    const name = below.at(-1);
    if (name === undefined) {
      return { path: given, root, parent: path.dirname(base), name: path.basename(base), at: base };
    }
    const { real, stat } = await follow(this.fs, base, below.slice(0, -1), { given, followLast: true });
    if (stat?.isDirectory() === false) throw new FileError('notDirectory', given, 'ENOTDIR');
    await this.check(path.join(real, name), given);
    return { path: given, root, parent: real, name, at: path.join(real, name) };
  }

  /** What a path leads to, a link at its end followed; checked as `place`. */
  async target(given: Path): Promise<Place & Followed> {
    const place = await this.place(given);
    const followed = await follow(this.fs, place.parent, [place.name], { given, followLast: true });
    // checked already, where nothing was followed
    if (followed.real !== place.at) await this.check(followed.real, given);
    return { ...place, ...followed };
  }

  /** The workspace path of a real place; undefined: it lies in none of the folders. */
  async pathOf(real: string): Promise<Path | undefined> {
    for (const root of this.list) {
      const dir = await this.realOf(root.dir);
      if (dir === undefined || dir === real || !contains(dir, real)) continue;
      const below = path.relative(dir, real).split(path.sep).join('/');
      return this.list.length > 1 ? `${root.name}/${below}` : below;
    }
    return undefined;
  }

  /** Whether a real place may be touched. */
  async mayTouch(real: string): Promise<boolean> {
    return (await this.objection(real)) === undefined;
  }

  /** The real folder of a root; `notFound` when it is gone. */
  async realRoot(root: Root): Promise<string> {
    const real = await this.realOf(root.dir);
    if (real === undefined) throw new FileError('notFound', '', `the workspace folder ${root.name} is gone`);
    return real;
  }

  private async check(real: string, given: string): Promise<void> {
    const code = await this.objection(real);
    if (code !== undefined) throw new FileError(code, given, code === 'outside' ? 'leads out of the workspace' : '');
  }

  private async objection(real: string): Promise<'outside' | 'reserved' | undefined> {
    const [roots, reserved] = await Promise.all([
      Promise.all(this.list.map((root) => this.realOf(root.dir))),
      Promise.all(this.reserved.map((dir) => this.realOf(dir))),
    ]);
    const holders = roots.filter((dir) => dir !== undefined && contains(dir, real)) as string[];
    // with roots inside each other the outermost counts: it sees every `.git` on the way
    const holder = holders.sort((a, b) => a.length - b.length)[0];
    if (holder === undefined) return 'outside';
    if (path.relative(holder, real).split(path.sep).some(isGit)) return 'reserved';
    const isReserved = [...this.reserved, ...reserved].some((dir) => dir !== undefined && contains(dir, real));
    return isReserved ? 'reserved' : undefined;
  }

  /** undefined: not there. Who asks while somebody else's answer is on its way gets that. */
  private realOf(dir: string): Promise<string | undefined> {
    const asked = this.asked.get(dir);
    if (asked) return asked;
    const answer = unlessMissing(this.fs.realpath(dir)).finally(() => this.asked.delete(dir));
    this.asked.set(dir, answer);
    return answer;
  }

  /** The roots in which the path exists; all of them where it exists in none. */
  private async candidates(segments: string[]): Promise<string[]> {
    const rest = segments.join('/');
    const found: string[] = [];
    for (const root of this.list) {
      if (await unlessMissing(this.fs.lstat(path.join(root.dir, ...segments)))) found.push(`${root.name}/${rest}`);
    }
    return found.length > 0 ? found : this.list.map((root) => `${root.name}/${rest}`);
  }
}

/** `place` is `folder` or lies in it; both absolute and real. */
export function contains(folder: string, place: string): boolean {
  const between = path.relative(folder, place);
  return between === '' || (between !== '..' && !between.startsWith(`..${path.sep}`) && !path.isAbsolute(between));
}

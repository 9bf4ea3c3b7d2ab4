/** One file, one name: a look-alike spelling reaches the file there is, or fails and names it. */
import path from 'node:path';
import { FileError } from '../../core/errors';
import type { FsCalls } from '../fs';
import { unlessMissing } from '../fs';
import { follow } from './follow';
import { lookAlikeKey } from '../../core/paths';

export class Spelling {
  private readonly ignoresCase = new Map<string, Promise<boolean>>();

  constructor(
    private readonly fs: FsCalls,
    /** Whether a real place may be looked into. */
    private readonly mayTouch: (real: string) => Promise<boolean>,
  ) {}

  /**
   * `segments` below the real folder `base` as the disk spells them. Where the disk itself takes another spelling for
   * the same file (case, Unicode form), the true one comes back; where only a look-alike is there, `FileError('exists')`
   * with the true path in `detail`. `prefix` is put before paths in errors (the name of a root, with `/`).
   */
  async trueSegments(base: string, segments: readonly string[], given: string, prefix: string): Promise<string[]> {
    const ignoreCase = await this.caseIgnored(base);
    const out: string[] = [];
    let folder = base;
    let isAlike = false;
    for (const [index, name] of segments.entries()) {
      const there = (await unlessMissing(this.fs.lstat(path.join(folder, name)))) !== undefined;
      if (there && !ignoreCase) {
        out.push(name);
      } else {
        const names = await this.names(folder);
        const alike = names.filter((one) => lookAlikeKey(one, ignoreCase) === lookAlikeKey(name, ignoreCase));
        const only = alike[0];
        if (only === undefined) {
          out.push(...segments.slice(index));
          break;
        }
        if (alike.includes(name)) {
          out.push(name);
        } else {
          if (alike.length > 1) throw exists(alike.map((one) => [...out, one, ...segments.slice(index + 1)]));
          if (!there) isAlike = true;
          out.push(only);
        }
      }
      if (index === segments.length - 1) break; // a link at the end stays one, wherever it leads
      const next = await follow(this.fs, folder, [out.at(-1) ?? ''], { given, followLast: true });
      if (next.stat?.isDirectory() !== true || !(await this.mayTouch(next.real))) {
        out.push(...segments.slice(index + 1));
        break;
      }
      folder = next.real;
    }
    if (isAlike) throw exists([out]);
    return out;

    function exists(paths: string[][]): FileError {
      return new FileError('exists', given, paths.map((one) => prefix + one.join('/')).join(', '));
    }
  }

  /**
   * Whether the disk takes `A` and `a` for one name: asked once per root with the root's own name, so that nothing is
   * written to find out. A name without letters: as the system usually is.
   */
  private caseIgnored(base: string): Promise<boolean> {
    let known = this.ignoresCase.get(base);
    if (known === undefined) {
      known = this.probe(base);
      this.ignoresCase.set(base, known);
    }
    return known;
  }

  private async probe(base: string): Promise<boolean> {
    const name = path.basename(base);
    const swapped = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
    if (swapped === name) return process.platform === 'win32' || process.platform === 'darwin';
    const [one, other] = await Promise.all([
      unlessMissing(this.fs.lstat(base)),
      unlessMissing(this.fs.lstat(path.join(path.dirname(base), swapped))),
    ]);
    return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
  }

  private async names(folder: string): Promise<string[]> {
    return ((await unlessMissing(this.fs.readdir(folder))) ?? []).map((entry) => entry.name);
  }
}

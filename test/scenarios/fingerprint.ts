/** What stands in a folder, short enough to compare: path → type, mode, and hash or link target. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface FingerprintOptions {
  /** false: types and names only. */
  content: boolean;
  /** Absolute paths that are left out with all below them. */
  without?: string[];
}

/** Links are never followed; what vanishes while we look is left out. */
export async function fingerprint(root: string, options: FingerprintOptions): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const visit = async (dir: string): Promise<void> => {
    let entries: fs.Dirent[];
    try {
      entries = await readdir(dir, { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of entries) {
      const file = path.join(dir, entry.name);
      if (options.without?.includes(file)) continue;
      const name = path.relative(root, file);
      try {
        found.set(name, await describe(file, entry, options.content));
      } catch {
        continue;
      }
      if (entry.isDirectory()) await visit(file);
    }
  };
  await visit(root);
  return found;
}

async function describe(file: string, entry: fs.Dirent, content: boolean): Promise<string> {
  if (entry.isSymbolicLink()) return `link ${fs.readlinkSync(file)}`;
  if (entry.isDirectory()) return 'directory';
  if (!entry.isFile()) return 'other';
  if (!content) return 'file';
  const mode = (fs.lstatSync(file).mode & 0o7777).toString(8);
  return `file ${mode} ${createHash('sha256')
    .update(await readFile(file))
    .digest('hex')}`;
}

/** Bytes of all files below a folder, by their path. */
export async function* filesBelow(root: string): AsyncGenerator<{ name: string; bytes: Buffer }> {
  for (const [name, kind] of await fingerprint(root, { content: false })) {
    if (kind !== 'file') continue;
    try {
      yield { name, bytes: await readFile(path.join(root, name)) };
    } catch {
      // removed meanwhile: temporary files of the store come and go
    }
  }
}

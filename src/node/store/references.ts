/** Which contents the files of a run name: more than it refers to, never less. */
import { constants } from 'node:fs';
import path from 'node:path';
import type { Hash } from '../../core/ports';
import { type FsCalls, unlessMissing } from '../fs';
import { readAt } from './packScan';

/** Texts of more are collected late, and all files of all runs are read. */
const CHUNK = 64 * 1024;
const DIGITS = 64;
const HEX = /[0-9a-f]{64,}/g;

/** Names and bytes of the files of a run's folder, those in folders below too. Rejects with the system's error. */
export async function filesBelow(fs: FsCalls, folder: string): Promise<Map<string, number>> {
  const files = new Map<string, number>();
  for (const entry of await fs.readdir(folder)) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory())
      for (const [file, bytes] of (await unlessMissing(filesBelow(fs, name))) ?? []) files.set(file, bytes);
    else if (entry.isFile()) {
      const stat = await unlessMissing(fs.lstat(name));
      if (stat !== undefined) files.set(name, stat.size);
    }
  }
  return files;
}

/**
 * Every string of 64 hex digits in any file below `folder`, whatever it means there, that is one of the `known` contents.
 * Rejects where a file cannot be read: then nothing can be said.
 */
export async function referencesBelow(
  fs: FsCalls,
  folder: string,
  known: (hash: Hash) => boolean,
  signal?: AbortSignal,
): Promise<Set<Hash>> {
  const found = new Set<Hash>();
  for (;;) {
    const names = await filesBelow(fs, folder);
    for (const file of names.keys()) await readReferences(fs, file, known, found, signal);
    // a journal that got another name meanwhile would have been missed
    const after = await filesBelow(fs, folder);
    if ([...after.keys()].every((file) => names.has(file))) return found;
  }
}

async function readReferences(
  fs: FsCalls,
  file: string,
  known: (hash: Hash) => boolean,
  found: Set<Hash>,
  signal: AbortSignal | undefined,
): Promise<void> {
  // gone: under another name, which the next look shows, or for good
  const handle = await unlessMissing(fs.open(file, { flags: constants.O_RDONLY }));
  if (handle === undefined) return;
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    let carry = '';
    for (let at = 0; ;) {
      signal?.throwIfAborted();
      const bytes = await readAt(handle, at, CHUNK, buffer);
      if (bytes.length === 0) return;
      at += bytes.length;
      const text = carry + bytes.toString('latin1');
      for (const [digits] of text.matchAll(HEX)) {
        for (let n = 0; n + DIGITS <= digits.length; n += 1) {
          const hash = digits.slice(n, n + DIGITS);
          if (known(hash)) found.add(hash);
        }
      }
      carry = text.slice(1 - DIGITS);
    }
  } finally {
    await handle.close();
  }
}

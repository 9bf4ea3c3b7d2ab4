/** What the write guard is given, in short. */
import type { BufferState, FileStat } from '../../../../src/core/ports';
import { decode } from '../../../../src/core/reconcile/text';
import type { FileRecord } from '../../../../src/core/run/state';
import { planWrite, type Proposal, type WriteInput, type WritePlan } from '../../../../src/core/tools/write';
import type { Look } from '../../../../src/core/world';
import { sha256 } from '../../../../src/node/hash';

export const PATH = 'src/a.txt';
export const BASE = 'one\ntwo\nthree\nfour\nfive\n';
export const stat: FileStat = {
  type: 'file',
  isLink: false,
  leadsOutside: false,
  size: 0,
  mode: 0o644,
  readOnly: false,
  hardLinks: 1,
  mtimeMs: 0,
  ctimeMs: 0,
};
export const nothing: Look = { path: PATH, type: 'missing', hash: null, size: 0, diskHash: null };

export function there(content: string | Uint8Array, more: Partial<Look> = {}): Look {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const view = decode(bytes);
  const hash = sha256(bytes);
  return {
    path: PATH,
    type: 'file',
    hash,
    size: bytes.length,
    bytes,
    diskHash: hash,
    stat,
    ...(view ? { view } : {}),
    ...more,
  };
}
export const read = (content: string | Uint8Array, more: Partial<FileRecord> = {}): FileRecord => {
  const { hash, size } = there(content);
  return { path: PATH, base: hash, known: hash, knownSize: size, knownType: 'file', by: 'read', ...more };
};
export const whole = (content: string): Proposal => ({ tool: 'write_file', content });
export const patch = (old: string, next: string, all = false): Proposal => ({ tool: 'edit_file', old, next, all });
export const plan = (
  now: Look,
  record: FileRecord | undefined,
  base: string | undefined,
  proposal: Proposal,
): WritePlan => {
  const input: WriteInput = { now, record, base, proposal };
  return planWrite(input);
};
export const dirty: BufferState = { path: PATH, text: '', dirty: true, version: 1, eol: '\n' };

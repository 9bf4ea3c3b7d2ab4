/**
 * The bytes of a pack: contents of files one after another. A pack begins with `HFPACK` and its format (u16); each content
 * has a head of 52 bytes before it, numbers little-endian: `HFB1`, codec (u8), 3 zeros, stored length (u32), true length
 * (u32), SHA-256 of the true content (32), and the first 4 bytes of the SHA-256 of the 48 before.
 */
import { deflateRaw, inflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import type { Hash } from '../../core/ports';
import { sha256 } from '../hash';

export const PACK_VERSION = 1;
export const PACK_HEAD = 8;
export const HEAD = 52;

const MAGIC = Buffer.from('HFB1');
const PACK_MAGIC = Buffer.from('HFPACK');
const PLAIN = 0;
const DEFLATED = 1;

/** Where a content stands in a pack. */
export interface Place {
  hash: Hash;
  /** Of its bytes, behind the head. */
  start: number;
  stored: number;
  size: number;
  deflated: boolean;
}

export function packHead(): Buffer {
  const bytes = Buffer.alloc(PACK_HEAD);
  PACK_MAGIC.copy(bytes);
  bytes.writeUInt16LE(PACK_VERSION, 6);
  return bytes;
}

/** undefined: no pack. */
export function packVersion(bytes: Buffer): number | undefined {
  const fits = bytes.length >= PACK_HEAD && bytes.subarray(0, 6).equals(PACK_MAGIC);
  return fits ? bytes.readUInt16LE(6) : undefined;
}

export function contentHead({ hash, stored, size, deflated }: Omit<Place, 'start'>): Buffer {
  const bytes = Buffer.alloc(HEAD);
  MAGIC.copy(bytes);
  bytes.writeUInt8(deflated ? DEFLATED : PLAIN, 4);
  bytes.writeUInt32LE(stored, 8);
  bytes.writeUInt32LE(size, 12);
  bytes.write(hash, 16, 'hex');
  headSum(bytes).copy(bytes, 48);
  return bytes;
}

/** The head at `at`; undefined: there is none that is whole. */
export function readHead(bytes: Buffer, at: number): Omit<Place, 'start'> | undefined {
  const head = bytes.subarray(at, at + HEAD);
  if (head.length < HEAD || !head.subarray(0, 4).equals(MAGIC) || !headSum(head).equals(head.subarray(48)))
    return undefined;
  const codec = head.readUInt8(4);
  if (codec !== PLAIN && codec !== DEFLATED) return undefined;
  const [stored, size] = [head.readUInt32LE(8), head.readUInt32LE(12)];
  return { hash: head.toString('hex', 16, 48), stored, size, deflated: codec === DEFLATED };
}

/** Where the next head could begin, from `at` on; the end where there is none. */
export function nextMagic(bytes: Buffer, at: number): number {
  const found = bytes.indexOf(MAGIC, at);
  // the end may hold the beginning of one
  return found === -1 ? Math.max(at, bytes.length - MAGIC.length + 1) : found;
}

export const deflate = promisify(deflateRaw) as (bytes: Uint8Array) => Promise<Buffer>;

/** Rejects where the bytes are no deflated content of that size. */
export function inflate(bytes: Uint8Array, size: number): Promise<Buffer> {
  return (promisify(inflateRaw) as (bytes: Uint8Array, options: object) => Promise<Buffer>)(bytes, {
    maxOutputLength: Math.max(1, size),
  });
}

function headSum(head: Buffer): Buffer {
  return Buffer.from(sha256(head.subarray(0, 48)).slice(0, 8), 'hex');
}

/** SHA-256, the one hash of the project. */
import { createHash } from 'node:crypto';
import type { Hash } from '../core/ports';

/** SHA-256 of the bytes (a text: of its UTF-8), lower-case hex. */
export function sha256(bytes: Uint8Array | string): Hash {
  return createHash('sha256').update(bytes).digest('hex');
}

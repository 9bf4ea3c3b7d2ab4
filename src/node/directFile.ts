/**
 * Small reads and writes of an open file without a way through the thread pool, as long as the system is quick about them. Such a
 * call only copies to or from the system's memory; to hand it to another thread and back takes ten times as long, and far longer
 * where the processor is busy. Syncs wait for a disk: they never hold up the event loop.
 */
import { fstatSync, readSync, writeSync } from 'node:fs';
import type { OpenFile } from './fs';

/** Bytes. */
const SMALL = 64 * 1024;
/** A call that took longer, ms, did not end in memory (a full cache, a network) … */
const SLOW = 2;
/** … and so many after it go the other way. */
const SPARED = 200;

/** `handle`: that of `file`; its `fd` is -1 once it is closed. `now`: ms, never set back. */
export function directly(
  file: OpenFile,
  handle: { readonly fd: number },
  now: () => number = () => performance.now(),
): OpenFile {
  let spared = 0;
  const either = async <T>(bytes: number, quick: (fd: number) => T, otherwise: () => Promise<T>): Promise<T> => {
    const { fd } = handle;
    if (spared > 0) spared -= 1;
    else if (bytes <= SMALL && fd !== -1) {
      const from = now();
      try {
        return quick(fd);
      } finally {
        if (now() - from > SLOW) spared = SPARED;
      }
    }
    return otherwise();
  };
  return {
    ...file,
    read: (buffer, offset, length, position) =>
      either(
        length,
        (fd) => readSync(fd, buffer, offset, length, position),
        () => file.read(buffer, offset, length, position),
      ),
    write: (bytes, position) =>
      either(
        bytes.length,
        (fd) => writeSync(fd, bytes, 0, bytes.length, position),
        () => file.write(bytes, position),
      ),
    stat: () =>
      either(
        0,
        (fd) => fstatSync(fd),
        () => file.stat(),
      ),
  };
}

/**
 * What files held when they were read last. A file that is still the one that was read (by inode, size, and the times of its last
 * change) is not read again: what a command did is looked for in all files of the run, before and after it.
 */
import type { FileStat, Path, Ports } from '../ports';
import { BLOB_LIMIT } from '../world';
import { onDisk, type OnDisk } from './onDisk';

/**
 * Within one tick of the file system's clock a file can change twice and look the same (git calls that racy). Ticks are 2 s at
 * most (FAT); whose clock it is does not matter: what is measured is for how long a file looked as it did when it was read.
 */
const TICK_MS = 2000;

interface Known {
  looks: string;
  /** When it was first seen to look so. */
  since: number;
  found: OnDisk;
  /** It had looked so for longer than a tick before it was read: whatever changes it now changes its looks. */
  settled: boolean;
}

/** undefined: no plain file, or a system that tells no file from another. A content put back with its time has another `ctime`. */
const looksOf = ({ type, isLink, leadsOutside, inode, size, mtimeMs, ctimeMs }: FileStat): string | undefined =>
  type !== 'file' || leadsOutside || inode === undefined || ctimeMs === 0
    ? undefined
    : `${isLink ? 'link ' : ''}${inode} ${size} ${mtimeMs} ${ctimeMs}`;

export class DiskMemory {
  private readonly known = new Map<Path, Known>();

  constructor(private readonly ports: Pick<Ports, 'files' | 'hash' | 'clock'>) {}

  /** As `onDisk`; without the bytes where the file was not read. */
  async at(path: Path): Promise<OnDisk> {
    const { files, clock } = this.ports;
    const now = clock.now();
    const looks = await files.stat(path).then(looksOf, () => undefined);
    const known = this.known.get(path);
    if (known?.settled === true && known.looks === looks) return known.found;
    const found = await onDisk(this.ports, path);
    if (looks === undefined || typeof found.hash !== 'string') {
      this.known.delete(path);
      return found;
    }
    const since = known?.looks === looks ? known.since : now;
    const { bytes: _, ...rest } = found;
    this.known.set(path, { looks, since, found: rest, settled: now - since > TICK_MS });
    return found;
  }

  /** As `at`, with the bytes of a file that is not too large. */
  async read(path: Path, found: OnDisk): Promise<OnDisk> {
    return typeof found.hash === 'string' && !found.bytes && found.size <= BLOB_LIMIT
      ? onDisk(this.ports, path)
      : found;
  }
}

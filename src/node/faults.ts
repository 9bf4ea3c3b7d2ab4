/** A file system that fails on demand, for tests and the scenario host. */
import { constants as osConstants } from 'node:os';
import type { FsCalls, OpenFile } from './fs';

/**
 * `open` and `read` concern the file itself; `write`, `fsync` and `rename` what is written *to* a file, also when it goes
 * through a temporary one. Linking a finished temporary file to its name counts as `rename`.
 */
export type FaultOp = 'open' | 'write' | 'fsync' | 'rename' | 'read';

export interface Fault {
  op: FaultOp;
  /** Looks at the absolute path of the file meant (for `rename`: its target). */
  path: (absolute: string) => boolean;
  /** The system's name: ENOSPC, EACCES … */
  error: string;
  /** How often it fails; default: always. */
  times?: number;
}

/** The faults in force now. */
export class Faults {
  private armed: Fault[] = [];

  add(fault: Fault): void {
    this.armed.push({ ...fault });
  }

  clear(): void {
    this.armed = [];
  }

  /** Throws the first fault that fits. */
  check(op: FaultOp, path: string): void {
    const fault = this.armed.find((one) => one.op === op && (one.times ?? 1) > 0 && one.path(path));
    if (fault === undefined) return;
    if (fault.times !== undefined) fault.times -= 1;
    throw systemError(fault.error, op, path);
  }
}

/** The same calls, with `faults` thrown where they fit. */
export function withFaults(fs: FsCalls, faults: Faults): FsCalls {
  return {
    ...fs,
    async open(path, options) {
      if (options.target === undefined) faults.check('open', path);
      const file = await fs.open(path, options);
      return faultyFile(file, options.target ?? path, faults);
    },
    async rename(from, to) {
      faults.check('rename', to);
      await fs.rename(from, to);
    },
    async link(existing, name) {
      faults.check('rename', name);
      await fs.link(existing, name);
    },
  };
}

function faultyFile(file: OpenFile, target: string, faults: Faults): OpenFile {
  return {
    ...file,
    async read(buffer, offset, length, position) {
      faults.check('read', target);
      return file.read(buffer, offset, length, position);
    },
    async write(bytes, position) {
      faults.check('write', target);
      return file.write(bytes, position);
    },
    async sync() {
      faults.check('fsync', target);
      await file.sync();
    },
    async datasync() {
      faults.check('fsync', target);
      await file.datasync();
    },
  };
}

function systemError(code: string, op: string, path: string): Error {
  const numbers: Record<string, number | undefined> = osConstants.errno;
  return Object.assign(new Error(`${code}: made to fail, ${op} '${path}'`), {
    code,
    errno: -(numbers[code] ?? 1),
    syscall: op,
    path,
  });
}

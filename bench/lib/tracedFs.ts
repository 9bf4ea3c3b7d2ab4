/** A file system that remembers what was written and synced: the floor does the same again, raw. */
import path from 'node:path';
import { type FsCalls, realFs } from '../../src/node/fs';

export type Kind = 'pack' | 'journal' | 'other';
export type Op = { op: 'write'; kind: Kind; bytes: number } | { op: 'sync'; kind: Kind };

export class Trace {
  bytes = 0;
  private ops: Op[] = [];

  /** What has happened since the last call. */
  take(): Op[] {
    return this.ops.splice(0);
  }

  add(op: Op): void {
    if (op.op === 'write') this.bytes += op.bytes;
    this.ops.push(op);
  }
}

const kindOf = (file: string): Kind =>
  file.endsWith('.pack') ? 'pack' : path.basename(file) === 'journal.jsonl' ? 'journal' : 'other';

export function tracedFs(trace: Trace): FsCalls {
  return {
    ...realFs,
    async open(name, options) {
      const file = await realFs.open(name, options);
      const kind = kindOf(options.target ?? name);
      return {
        ...file,
        write: async (bytes, position) => {
          const count = await file.write(bytes, position);
          trace.add({ op: 'write', kind, bytes: count });
          return count;
        },
        sync: () => (trace.add({ op: 'sync', kind }), file.sync()),
        datasync: () => (trace.add({ op: 'sync', kind }), file.datasync()),
      };
    },
  };
}

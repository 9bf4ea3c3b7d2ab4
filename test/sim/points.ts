/** Every call on the file system is a point at which something can go wrong, but for those that only look. */
import type { FsCalls, OpenFile } from '../../src/node/fs';

/** Calls that change nothing. What is not named here is a point, also what is added later. */
const LOOKS: ReadonlySet<string> = new Set<keyof FsCalls | keyof OpenFile>([
  ...(['canWrite', 'close', 'lstat', 'read', 'readdir', 'readlink', 'realpath', 'stat'] as const),
]);

/** Called before the call is made, with its name and the file meant; what it throws the call rejects with. */
export type AtPoint = (op: string, file: string) => void;

export function withPoints(fs: FsCalls, at: AtPoint): FsCalls {
  return {
    // The file that is changed, or made, is the last that is named.
    ...pointed(fs, (args) => String(args.findLast((arg) => typeof arg === 'string')), at),
    async open(path, options) {
      const target = options.target ?? path;
      at('open', target);
      return pointed(await fs.open(path, options), () => target, at);
    },
  };
}

type Call = (...args: unknown[]) => Promise<unknown>;

function pointed<T extends object>(calls: T, fileOf: (args: readonly unknown[]) => string, at: AtPoint): T {
  const around = ([op, call]: [string, Call]): [string, Call] => [
    op,
    LOOKS.has(op)
      ? call
      : async (...args) => {
          at(op, fileOf(args));
          return call(...args);
        },
  ];
  return Object.fromEntries(Object.entries(calls as Record<string, Call>).map(around)) as T;
}

/** Every call that changes the file system is a point at which something can go wrong. */
import type { FsCalls, OpenFile } from '../../src/node/fs';

export type PointOp = 'open' | 'write' | 'sync' | 'truncate' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'remove';

/** Called before the call is made, with the file meant; what it throws the call rejects with. */
export type AtPoint = (op: PointOp, file: string) => void;

export function withPoints(fs: FsCalls, at: AtPoint): FsCalls {
  const before =
    <A extends string[], T>(op: PointOp, call: (...args: [...A]) => Promise<T>) =>
    async (...args: [...A]): Promise<T> => {
      at(op, args.at(-1) ?? '');
      return call(...args);
    };
  return {
    ...fs,
    async open(path, options) {
      at('open', options.target ?? path);
      return pointed(await fs.open(path, options), options.target ?? path, at);
    },
    rename: before('rename', (from: string, to: string) => fs.rename(from, to)),
    link: before('link', (from: string, to: string) => fs.link(from, to)),
    unlink: before('unlink', (file: string) => fs.unlink(file)),
    rmdir: before('remove', (file: string) => fs.rmdir(file)),
    removeTree: before('remove', (file: string) => fs.removeTree(file)),
    async mkdir(path, mode) {
      at('mkdir', path);
      return fs.mkdir(path, mode);
    },
  };
}

function pointed(file: OpenFile, target: string, at: AtPoint): OpenFile {
  const point = (op: PointOp): Promise<void> =>
    new Promise((resolve) => {
      at(op, target);
      resolve();
    });
  return {
    ...file,
    write: (bytes, position) => point('write').then(() => file.write(bytes, position)),
    sync: () => point('sync').then(() => file.sync()),
    datasync: () => point('sync').then(() => file.datasync()),
    truncate: (length) => point('truncate').then(() => file.truncate(length)),
  };
}

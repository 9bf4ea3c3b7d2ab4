/** Real folders and real waiting for the tests of this room. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FileError, type FileErrorCode } from '../../../src/core/errors';
import { type FsCalls, realFs } from '../../../src/node/fs';

/** A folder of its own for each test of the suite, removed afterwards. */
export function useFolder(): { readonly dir: string; at(...names: string[]): string } {
  let dir = '';
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-Test-')));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  return {
    get dir() {
      return dir;
    },
    at: (...names) => path.join(dir, ...names),
  };
}

/** Waits until `condition` holds; fails after `ms`. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) assert.fail(`not within ${ms} ms: ${what}`);
    await delay(5);
  }
}

/** The promise rejects with a `FileError` of this code; it comes back for a look at `detail`. */
export async function rejectsWith(code: FileErrorCode, work: Promise<unknown>): Promise<FileError> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail(`expected the error ${code}`);
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** For tests that do not ask what is on disk after a power cut: hundreds of syncs would take seconds. */
export const withoutSync: FsCalls = {
  ...realFs,
  async open(name, options) {
    const nothing = (): Promise<void> => Promise.resolve();
    return { ...(await realFs.open(name, options)), sync: nothing, datasync: nothing };
  },
};

/** Names and contents below a folder. */
export function tree(dir: string): [name: string, text: string][] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry): [string, string] => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(dir, file), readFileSync(file, 'latin1')];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The real file system, without its syncs, until `alive` says no; from then on every call fails, as if the process had died. */
export function dyingAfter(alive: () => boolean): FsCalls {
  const guard = <T extends object>(calls: T): T =>
    new Proxy(calls, {
      get(target, name, receiver) {
        const call: unknown = Reflect.get(target, name, receiver);
        if (typeof call !== 'function') return call;
        return async (...args: unknown[]): Promise<unknown> => {
          if (name !== 'close' && !alive()) throw new Error('dead');
          const result: unknown = await Reflect.apply(call, target, args);
          return name === 'open' && typeof result === 'object' && result !== null ? guard(result) : result;
        };
      },
    });
  return guard(withoutSync);
}

/**
 * Every call of Node by which this process changes the world is a point, whoever makes it: the functions of `fs`, `child_process`
 * and `process` themselves are wrapped, all there are but those that only look. So no point can be forgotten.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';

/** Functions of `fs`, its promises and its open files that change nothing. */
const LOOKS =
  /^(access|close|constants|constructor|createReadStream|exists|fd$|fstat|get|glob|lstat|open(dir|AsBlob)|read|stat|toUnix|unwatch|watch|on|off|emit|_|[A-Z])|^realpath/;
const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC;

export interface Point {
  /** `fs.rename`, `file.write`, `spawn`, `kill` … */
  op: string;
  /** What it is done to, as far as the call says. */
  what: string;
  /** Writes the first half of what was to be written; absent: no half of it can be done. */
  half?: () => void;
}

type Fn = (this: unknown, ...args: unknown[]) => unknown;
type Calls = Record<string, Fn | undefined>;

/** Wraps them; `at` is called before each call that changes something, and after a program was started. */
export async function wrapAll(at: (point: Point) => void): Promise<void> {
  const { writeSync, writeFileSync } = fs;
  const handle = await fs.promises.open('/dev/null');
  const files = Object.getPrototypeOf(handle) as Calls;
  await handle.close();

  wrap(files, 'file', function (call, op, args) {
    const [bytes, offset, length, position] = args;
    const { fd } = this as { fd: number };
    const whole = bytes instanceof Uint8Array && op === 'file.write';
    at({
      ...{ op, what: String(fd) },
      ...(whole ? { half: () => writeSync(fd, firstHalf(bytes, offset, length), 0, null, num(position)) } : {}),
    });
    return call.apply(this, args);
  });
  for (const calls of [fs, fs.promises] as unknown as Calls[])
    wrap(calls, 'fs', function (call, op, args) {
      const [file, given] = args;
      if (/^fs\.open(Sync)?$/.test(op) && !isWriting(given)) return call.apply(this, args);
      const whole = /^fs\.writeFile(Sync)?$/.test(op) && (typeof given === 'string' || given instanceof Uint8Array);
      const bytes = whole ? Buffer.from(given as string) : undefined;
      at({
        ...{ op, what: args.filter((arg) => typeof arg === 'string').join(' ') || String(file) },
        ...(bytes ? { half: () => writeFileSync(String(file), bytes.subarray(0, bytes.length / 2)) } : {}),
      });
      return call.apply(this, args);
    });
  wrap(childProcess as unknown as Calls, 'child', function (call, op, args) {
    at({ op, what: String(args[0]) });
    const started = call.apply(this, args);
    at({ op: `${op}, started`, what: String(args[0]) });
    return started;
  });
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (signal !== 0) at({ op: 'kill', what: String(signal) });
    return kill(pid, signal);
  };
}

function wrap(
  calls: Calls,
  of: string,
  around: (this: unknown, call: Fn, op: string, args: unknown[]) => unknown,
): void {
  for (const name of Object.getOwnPropertyNames(calls)) {
    const own = Object.getOwnPropertyDescriptor(calls, name);
    const call = own?.writable ? calls[name] : undefined;
    if (LOOKS.test(name) || typeof call !== 'function') continue;
    calls[name] = function (...args) {
      return around.call(this, call, `${of}.${name}`, args);
    };
  }
}

const isWriting = (flags: unknown): boolean =>
  typeof flags === 'number' ? (flags & WRITING) !== 0 : typeof flags === 'string' && /[wa+x]/.test(flags);

const num = (given: unknown): number | null => (typeof given === 'number' ? given : null);

function firstHalf(bytes: Uint8Array, offset: unknown, length: unknown): Uint8Array {
  const from = num(offset) ?? 0;
  const count = num(length) ?? bytes.length - from;
  return bytes.subarray(from, from + Math.ceil(count / 2));
}

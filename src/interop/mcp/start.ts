/** Starts a stdio server as a program of ours. */
import crossSpawn from 'cross-spawn';
import type { RunningProgram } from '../../core/programs';
import type { StdioServer } from './definitions';
import type { Host } from './host';

/** `npx` and the like are batch files on Windows: the library finds them and quotes for cmd. On POSIX it changes nothing. */
interface Parsed {
  command: string;
  args: string[];
  options: { windowsVerbatimArguments?: boolean };
}
const { _parse: parse } = crossSpawn as unknown as {
  _parse: (this: void, command: string, args: readonly string[], options: object) => Parsed;
};

export function startServer(
  how: StdioServer,
  host: Host,
  marker: string,
  onOutput: (chunk: Uint8Array) => void,
  onError: (chunk: string) => void,
): Promise<RunningProgram> {
  const { command, args, options } = parse(how.command, how.args, {});
  return host.programs.start({
    program: command,
    args,
    cwd: how.cwd ?? host.folder,
    env: how.env,
    marker,
    ...(options.windowsVerbatimArguments ? { verbatim: true } : {}),
    onOutput,
    onError,
  });
}

/** The `Processes` port: commands in a shell, each with all it started under control. */
import type { Path, ProcessId, Processes, RunningProcess, SpawnOptions } from '../core/ports';
import { PosixCommand } from './processes/command';
import { childEnvironment } from './processes/environment';
import { ProcessTree } from './processes/tree';
import { endTree, listTree, WindowsCommand } from './processes/windows';

export interface NodeProcessesOptions {
  /** The absolute folder of a workspace path: `NodeFiles.folder`. */
  folder: (path: Path) => Promise<string>;
  /** Names of environment variables that commands do not get, besides the host's own. */
  hidden?: readonly string[];
  /** Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
}

const WINDOWS = process.platform === 'win32';

export class NodeProcesses implements Processes {
  readonly shell = WINDOWS ? 'cmd /d /s /c' : '/bin/sh -c';
  private readonly watchers = new Set<number>();

  constructor(private readonly options: NodeProcessesOptions) {}

  async spawn(options: SpawnOptions): Promise<RunningProcess> {
    const { command, cwd, marker } = options;
    if (marker === '' || /[\0\n]/.test(marker)) throw new Error('the marker of a command is one line of text');
    let folder: string;
    try {
      folder = await this.options.folder(cwd);
    } catch (error) {
      throw new Error(error instanceof Error ? error.message : String(error));
    }
    const env = childEnvironment(this.options.env ?? process.env, this.options.hidden ?? [], marker);
    const onOutput = (chunk: string): void => options.onOutput(chunk);
    const start = { command, cwd: folder, env, marker, onOutput };
    return WINDOWS ? WindowsCommand.start(start) : PosixCommand.start({ ...start, watchers: this.watchers });
  }

  find(id: ProcessId, marker: string): Promise<ProcessId[]> {
    return WINDOWS ? listTree(id) : Promise.resolve(this.recorded(id, marker).alive());
  }

  endFound(id: ProcessId, marker: string, graceMs: number): Promise<ProcessId[]> {
    return WINDOWS ? endTree(id, graceMs) : this.recorded(id, marker).end(graceMs);
  }

  private recorded(id: ProcessId, marker: string): ProcessTree {
    return new ProcessTree(id, marker, false, () => this.watchers);
  }
}

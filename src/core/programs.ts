/** Programs that are talked to through their standard streams, each with all it starts under control. */
import type { ProcessExit, ProcessId } from './ports';

export interface ProgramOptions {
  program: string;
  args: readonly string[];
  /** Absolute folder. */
  cwd: string;
  /** Added to the environment that commands get. */
  env: Readonly<Record<string, string>>;
  /** Marks the process and all of its children, so that they can be found again. */
  marker: string;
  /** Windows: the arguments are quoted already. */
  verbatim?: boolean;
  onOutput(chunk: Uint8Array): void;
  /** What it writes to its error stream. */
  onError(chunk: string): void;
}

export interface RunningProgram {
  readonly id: ProcessId;
  /** Settles when the program itself has ended. */
  readonly exited: Promise<ProcessExit>;
  /** Settles when there is room for more; rejects when its input is closed. */
  write(text: string): Promise<void>;
  /** Closes its input, then TERM, `graceMs`, KILL for the whole tree; answers with the survivors. */
  end(graceMs: number): Promise<ProcessId[]>;
}

export interface Programs {
  /** Rejects with a plain Error whose message is the system's reason. */
  start(options: ProgramOptions): Promise<RunningProgram>;
}

/** The `Processes` port: commands in a shell, each with all it started. Adapter: `node/processes.ts`. */
import type { Path } from './ports';

/** Enough to find a process again and to tell it from another one that got its number. */
export interface ProcessId {
  pid: number;
  /** Start time in the system's own unit (clock ticks since boot on Linux), as text. */
  startTime: string;
  command: string;
  /** Evidence says that a command of the run started it, nothing proves it: it is named, never ended. */
  unsure?: true;
}

export interface ProcessExit {
  code: number | null;
  signal: string | null;
}

export interface SpawnOptions {
  command: string;
  /** Folder, as a workspace path ('' = first root). */
  cwd: Path;
  /** Marks the process and all of its children (environment), so that they can be found again. */
  marker: string;
  onOutput(chunk: string): void;
}

/** A running command and everything it started. */
export interface RunningProcess {
  readonly id: ProcessId;
  /** Settles when the command itself has ended and its output is read (or given up after a moment). */
  readonly exited: Promise<ProcessExit>;
  /** false where the system cannot freeze (Windows). */
  readonly canFreeze: boolean;
  /** Stops the whole tree where it stands; true when all of it is stopped. */
  freeze(): Promise<boolean>;
  thaw(): Promise<void>;
  /** TERM, `graceMs`, KILL, for the whole tree; answers with what is still alive (normally nothing). */
  end(graceMs: number): Promise<ProcessId[]>;
  /** Those of the tree that live now. */
  alive(): Promise<ProcessId[]>;
  /** Those of the tree that only this object still knows: neither group nor marker would find them after a restart. */
  loose(): ProcessId[];
  /** Living processes that may be of the tree, without a proof: `unsure`. They are left alone. */
  suspects(): Promise<ProcessId[]>;
}

export interface Processes {
  /** Rejects with a plain Error whose message is the system's reason when the command cannot be started. */
  spawn(options: SpawnOptions): Promise<RunningProcess>;
  /** At start-up: what of a recorded process tree is still alive (same start time, or the marker). */
  find(id: ProcessId, marker: string): Promise<ProcessId[]>;
  /** TERM, grace, KILL for those found by `find`. Answers with the survivors. */
  endFound(id: ProcessId, marker: string, graceMs: number): Promise<ProcessId[]>;
  /** How commands are run, for the model: "/bin/sh -c". */
  readonly shell: string;
}

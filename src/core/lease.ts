/** Who may write a workspace's runs: one host at a time. */

export interface LeaseOwner {
  pid: number;
  /** The machine it runs on. */
  host: string;
}

/** Who has the runs of this workspace, seen from another window. `gone`: it lives no more, and any window may go on. */
export interface Holder extends LeaseOwner {
  gone: boolean;
}

export interface Lease {
  /**
   * Takes it where nobody has it, or its owner is gone; answers with the owner who has it otherwise. A slow owner is not
   * robbed. Rejects with the system's error.
   */
  take(): Promise<LeaseOwner | undefined>;
  /** Somebody else who has it and is not gone. */
  other(): Promise<LeaseOwner | undefined>;
  /** Changes whenever something stored of the run has changed. */
  stamp(runId: string): Promise<string>;
  /** Gives it back; does nothing where it is not ours. */
  release(): Promise<void>;
}

export const HELD = ({ pid, host }: LeaseOwner): string =>
  `Another window works with the runs of this workspace (process ${pid} on ${host}): pause, steer or abort there. When it is closed, "Holdfast: Take Control Here" goes on in this one.`;

/**
 * Servers of tools in other processes or on other machines (MCP), as the core sees them. A session belongs to one run: what
 * it starts is ended with the run, and no other run's call is touched by that.
 */
import type { ProcessId } from '../ports';
import type { Contract } from './kinds';

/** A tool of a server, described for the model. */
export interface ServerTool {
  /** `mcp.<server>.<tool>` */
  name: string;
  server: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  contract: Contract;
  /** The human's settings call it free of effects: the server's own word is not enough to leave out the asking. */
  harmless: boolean;
  /** Changes when the server describes the tool anew: an approval covers what was shown. */
  fingerprint: string;
}

export interface CallProgress {
  done: number;
  total?: number;
  message?: string;
}

/** How a call ended, on our side. */
export type CallEnd =
  /** The server answered. `isError`: with the tool's own error; it may have done part of its work. */
  | { kind: 'answered'; isError: boolean; text: string }
  /** Refused before anything was done: nothing was sent, or the server does not know the tool or the arguments. */
  | { kind: 'refused'; text: string }
  /** Sent, and no answer will come: connection lost, or time limit. */
  | { kind: 'lost'; text: string }
  /** Cut by our own signal: the cancel was sent, nothing was waited for. */
  | { kind: 'cut'; text: string };

/** What a server says of a call that was cut or lost, when nobody waits for it any more. */
export interface LateAnswer {
  /** When the call was cut, ms: it tells which try of a step it was. */
  since: number;
  isError: boolean;
  /** At most 2,000 characters. */
  text: string;
}

export interface Verdict {
  verdict: 'happened' | 'didNotHappen' | 'unknown';
  /** What was read, in words. */
  proof: string;
}

export type ServerStatus = 'off' | 'starting' | 'ready' | 'failed' | 'ended' | 'notAllowed';

/** A child of ours that serves tools. */
export interface ServerProcess {
  server: string;
  id: ProcessId;
  marker: string;
}

export interface ServerInfo {
  server: string;
  /** What is started, or where it is. */
  what: string;
  from: 'settings' | 'workspace';
  status: ServerStatus;
  /** Why it failed or ended. */
  detail: string;
  tools: number;
  pid?: number;
}

export interface ToolSession {
  /** Connects (again) what is configured: all servers, or the one named. Settles when each has answered or failed, or the signal fires. */
  ready(signal: AbortSignal, server?: string): Promise<void>;
  /** Tools of the servers that are ready, in the order of their names. */
  tools(): readonly ServerTool[];
  /** Why there is no such tool, in one sentence with a next action. */
  whyNot(tool: string): string;
  /** Settles at once when the signal fires, whatever the server does. Never rejects. `callId` names it for `verify`. */
  call(
    callId: string,
    tool: ServerTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    onProgress: (progress: CallProgress) => void,
  ): Promise<CallEnd>;
  /** Asks the configured read tool whether the call had its effect; a late answer of the server counts too. */
  verify(callId: string, tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Verdict>;
  /** Closes the connections and ends our children, also those that are being ended; answers with the survivors `ServerWatch` was not told of. */
  end(graceMs: number): Promise<ProcessId[]>;
}

/** What becomes of children of ours: told to the run, so that it is durable and shown. */
export interface ServerWatch {
  started(process: ServerProcess): Promise<void>;
  /** By itself, or let go (it went on after a cancel, it cannot be understood). Told once of each; those that `end` answers for are not told. */
  ended(process: ServerProcess, survivors: readonly ProcessId[]): void;
  /** Once of each call, and of none when the session has ended. `callId` as in `call`. */
  answered(callId: string, answer: LateAnswer): void;
}

export interface ToolServers {
  /** undefined: none is configured. */
  open(runId: string, watch: ServerWatch): Promise<ToolSession | undefined>;
}

/**
 * Calls that were cancelled or given up, and may still be at work on the other end. By the specification a cancelled request
 * gets no answer, so silence tells nothing: what tells is a late answer (it is over) or late progress (it goes on).
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { resultText } from './content';

interface Answer {
  isError: boolean;
  /** Of a tool, or the error of the protocol. */
  result: unknown;
}

export function answerText({ result }: Answer): string {
  const { message } = (result ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : resultText(result ?? {});
}

export interface Orphan {
  callId: string;
  requestId: string | number;
  /** Time of the cancel, ms. */
  since: number;
  /** It answered: whatever it was, it is over. */
  answer?: Answer;
  /** Last progress after the cancel, ms. */
  heardAt?: number;
}

export class Orphans {
  private readonly byRequest = new Map<string | number, Orphan>();
  private readonly byCall = new Map<string, Orphan>();

  constructor(private readonly heard: (orphan: Orphan) => void) {}

  add(callId: string, requestId: string | number, since: number): Orphan {
    const orphan: Orphan = { callId, requestId, since };
    this.byRequest.set(requestId, orphan);
    this.byCall.set(callId, orphan);
    return orphan;
  }

  /** A new connection counts its requests anew: nothing on it belongs to a call of before. */
  reconnected(): void {
    this.byRequest.clear();
  }

  ofCall(callId: string): Orphan | undefined {
    return this.byCall.get(callId);
  }

  /** true: the message belongs to a call that is over on our side; nobody else needs to see it. */
  take(message: JSONRPCMessage, now: number): boolean {
    if ('method' in message) {
      if (message.method !== 'notifications/progress' || 'id' in message) return false;
      const token = (message.params as { progressToken?: string | number } | undefined)?.progressToken;
      const orphan = token === undefined ? undefined : this.byRequest.get(token);
      if (!orphan) return false;
      orphan.heardAt = now;
      this.heard(orphan);
      return true;
    }
    const orphan = message.id === undefined ? undefined : this.byRequest.get(message.id);
    if (!orphan) return false;
    const failed = 'error' in message || (message.result as { isError?: unknown } | null)?.isError === true;
    if (orphan.answer) return true;
    orphan.answer = { isError: failed, result: 'error' in message ? message.error : message.result };
    this.heard(orphan);
    return true;
  }
}

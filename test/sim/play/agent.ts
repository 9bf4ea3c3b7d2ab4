/** A model that works from memory: what it last read or wrote, however old that is. */
import type { ModelRequest } from '../../../src/core/ports';
import { type Brain, modelInfo, type Reply } from '../model';
import { type AgentCall, at, FILES, LINE, lineName, LOG, PLACES } from './acts';

/** Where nothing may be written. */
const ELSEWHERE = ['../out.txt', '/etc/out.txt', '.git/config', 'a/../../out.txt'];

type Call = { tool: string; args: Record<string, unknown>; undo?: { tool: string; args: Record<string, unknown> } };

export class AgentBrain implements Brain {
  readonly info = modelInfo();
  /** It ends the run as soon as it is asked. */
  finishing = false;
  private readonly due: AgentCall[][] = [];
  /** A reply that was cut off is given again. */
  private current: Reply | undefined;
  private lines = 0;
  private words = 0;

  add(calls: AgentCall[]): void {
    this.due.push(calls);
  }

  answer(request: ModelRequest): Reply | undefined {
    if (this.current) return this.current;
    if (this.finishing) return { text: 'Done.' };
    const calls = this.due.shift();
    if (!calls) return undefined;
    const memory = remembered(request);
    this.current = {
      text: calls.length > 1 ? 'Several things at once.' : '',
      calls: calls.map((call) => this.make(call, memory)),
    };
    return this.current;
  }

  said(): void {
    this.current = undefined;
  }

  private make({ do: what, file, a, b }: AgentCall, memory: Map<string, string[]>): Call {
    const path = at(PLACES, file) ?? FILES[0];
    const known = memory.get(path) ?? [];
    // It looks before it leaps, mostly.
    if ((what === 'edit' || what === 'write') && !memory.has(path) && b % 4 !== 0)
      return { tool: 'read_file', args: { path } };
    switch (what) {
      case 'read':
        return { tool: 'read_file', args: { path } };
      case 'search':
        return { tool: 'search_text', args: { query: 'human' } };
      case 'edit':
        return { tool: 'edit_file', args: { path, ...this.edit(known, a, b) } };
      case 'write':
        return { tool: 'write_file', args: { path, content: this.whole(known, a, b) } };
      case 'delete':
        return { tool: 'delete_file', args: { path } };
      case 'move':
        return { tool: 'move_file', args: { from: path, to: at(PLACES, a) } };
      case 'outside':
        return { tool: 'write_file', args: { path: at(ELSEWHERE, a), content: `${this.line()}\n` } };
      case 'ask':
        return { tool: 'ask_human', args: { question: 'Which?', choices: ['this', 'that'] } };
      case 'remote': {
        const word = `w${(this.words += 1)}`;
        return { tool: `mcp.remote.${at(['put', 'send', 'put', 'look'], a)}`, args: { word } };
      }
      case 'command': {
        const word = `w${(this.words += 1)}`;
        const command = at(
          [
            `echo ${word} >> ${LOG}`,
            `sleep 300; echo ${word} >> ${LOG}; sleep 300`,
            `sleep 5000; echo ${word} >> ${LOG}`,
            'exit 3',
          ],
          a,
        );
        const undo = { tool: 'run_command', args: { command: `sleep 300; echo undo-${word} >> ${LOG}` } };
        const background = b % 7 === 0 ? { background: true } : {};
        return { tool: 'run_command', args: { command, ...background }, ...(b % 2 === 0 ? { undo } : {}) };
      }
    }
  }

  private line(): string {
    return lineName('agent', (this.lines += 1));
  }

  private edit(known: readonly string[], a: number, b: number): { old_text: string; new_text: string } {
    const i = known.length === 0 ? 0 : a % known.length;
    const one = known[i] ?? 'base-0001';
    const two = known[i + 1];
    switch (b % 5) {
      case 0:
        return { old_text: one, new_text: this.line() };
      case 1:
        return { old_text: one, new_text: `${one}\n${this.line()}` };
      case 2:
        return { old_text: `${one}\n`, new_text: '' };
      case 3:
        return { old_text: one, new_text: `${this.line()}\n${one}` };
      default:
        return two === undefined
          ? { old_text: one, new_text: this.line() }
          : { old_text: `${one}\n${two}`, new_text: `${this.line()}\n${two}` };
    }
  }

  private whole(known: readonly string[], a: number, b: number): string {
    const lines = [...known];
    const i = lines.length === 0 ? 0 : a % lines.length;
    if (b % 2 === 0) lines.splice(i, 0, this.line());
    if (b % 3 === 0) lines.splice(i, 1);
    if (b % 5 === 0) lines.push(this.line());
    return lines.map((line) => `${line}\n`).join('');
  }
}

/** What the agent believes to be in each file: from its reads, and from its writes that it was told went well. */
function remembered({ messages }: ModelRequest): Map<string, string[]> {
  const memory = new Map<string, string[]>();
  const calls = new Map<string, Call>();
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const { callId, tool, args } of message.calls) calls.set(callId, { tool, args: args as Call['args'] });
    if (message.role !== 'tool') continue;
    const call = calls.get(message.callId);
    const path = call?.args['path'];
    if (!call || typeof path !== 'string') continue;
    const known = memory.get(path);
    if (call.tool === 'read_file' && !message.text.startsWith(path)) memory.set(path, message.text.match(LINE) ?? []);
    if (call.tool === 'write_file' && /^(Wrote|Created)/.test(message.text))
      memory.set(path, String(call.args['content']).match(LINE) ?? []);
    if (call.tool === 'edit_file' && known && message.text.startsWith('Edited')) {
      const text = known.map((line) => `${line}\n`).join('');
      memory.set(path, text.replace(String(call.args['old_text']), String(call.args['new_text'])).match(LINE) ?? []);
    }
  }
  return memory;
}

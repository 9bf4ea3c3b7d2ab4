/** Output of commands: one read-only terminal per run, made with the first output, never taking the keyboard. */
import { EventEmitter, ThemeIcon, window, type Pseudoterminal, type Terminal } from 'vscode';
import type { Output } from '../core/ports';
import { Disposable } from './disposable';
import { asTerminal, runOfStep, TerminalText } from './terminalText';

const KEPT = 200_000;

/** Keeps what came before VS Code opened the terminal, or while the human had closed it, up to a limit. */
class RunTerminal extends Disposable implements Pseudoterminal {
  private readonly written = this._register(new EventEmitter<string>());
  private readonly closing = this._register(new EventEmitter<void>());
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closing.event;
  private waiting = '';
  private opened = false;

  open(): void {
    this.opened = true;
    this.written.fire(this.waiting);
    this.waiting = '';
  }

  close(): void {
    this.opened = false;
  }

  write(text: string): void {
    if (this.opened) this.written.fire(text);
    else this.waiting = (this.waiting + text).slice(-KEPT);
  }
}

export class TerminalOutput extends Disposable implements Output {
  private current: { runId: string; pty: RunTerminal; terminal: Terminal } | undefined;
  private clean = new TerminalText();
  /** Command lines whose first output has not come yet. */
  private readonly pending = new Map<string, string>();

  constructor() {
    super();
    this._register(
      window.onDidCloseTerminal((closed) => {
        if (closed === this.current?.terminal) this.drop();
      }),
    );
  }

  opened(stepId: string, command: string): void {
    this.pending.set(stepId, command);
  }

  data(stepId: string, chunk: string): void {
    this.announce(stepId);
    this.current?.pty.write(this.clean.next(chunk));
  }

  closed(stepId: string, note: string): void {
    if (this.pending.delete(stepId)) return;
    this.current?.pty.write(`\r\n\x1b[2m[${asTerminal(note)}]\x1b[0m\r\n`);
  }

  /** Brings the terminal to the front; false: no command has had output yet. */
  show(): boolean {
    this.current?.terminal.show(true);
    return this.current !== undefined;
  }

  override dispose(): void {
    this.drop();
    super.dispose();
  }

  private announce(stepId: string): void {
    const command = this.pending.get(stepId);
    const runId = runOfStep(stepId);
    if (this.current?.runId !== runId) this.open(runId);
    if (command === undefined) return;
    this.pending.delete(stepId);
    this.clean = new TerminalText();
    this.current?.pty.write(`\r\n\x1b[1m$ ${asTerminal(command)}\x1b[0m\r\n`);
  }

  private open(runId: string): void {
    this.drop();
    const pty = new RunTerminal();
    const terminal = window.createTerminal({
      name: 'Holdfast',
      pty,
      iconPath: new ThemeIcon('debug-pause'),
      isTransient: true,
    });
    this.current = { runId, pty, terminal };
  }

  private drop(): void {
    const gone = this.current;
    this.current = undefined;
    gone?.terminal.dispose();
    gone?.pty.dispose();
  }
}

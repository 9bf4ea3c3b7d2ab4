import { inspect } from 'node:util';
import { window, type LogOutputChannel } from 'vscode';
import type { Log } from '../core/ports';
import { Disposable } from './disposable';

/**
 * The log channel "Holdfast": codes and facts, no content of files, no keys. It is made with its first line: VS Code
 * makes a file for it, and a window without a folder shall leave none.
 */
export class ChannelLog extends Disposable implements Log {
  private made: LogOutputChannel | undefined;

  private get channel(): LogOutputChannel {
    return (this.made ??= this._register(window.createOutputChannel('Holdfast', { log: true })));
  }

  info(message: string): void {
    this.channel.info(message);
  }

  warn(message: string): void {
    this.channel.warn(message);
  }

  error(message: string, error?: unknown): void {
    const detail = error === undefined ? '' : inspect(error);
    this.channel.error(detail === '' ? message : `${message}: ${detail}`);
  }

  show(): void {
    this.channel.show(true);
  }
}

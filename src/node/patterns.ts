import { Worker } from 'node:worker_threads';
import type { PatternSearch, Patterns } from '../core/patterns';

const WORK = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData, 'u');
parentPort.on('message', (lines) => {
  parentPort.postMessage(lines.flatMap((line, i) => (pattern.test(line) ? [i] : [])));
});`;

/** Tries patterns in a thread of their own: one that backtracks without end is ended, and the host hears a stop meanwhile. */
export class NodePatterns implements Patterns {
  open(source: string): PatternSearch {
    const worker = new Worker(WORK, { eval: true, workerData: source, env: {}, execArgv: [] });
    const gone = (): void => void worker.terminate();
    worker.on('error', () => undefined);
    return {
      close: gone,
      matching: (lines, ms, signal) =>
        new Promise((resolve, reject) => {
          const settle = (act: () => void): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', stopped);
            worker.off('message', found).off('error', failed);
            act();
          };
          const found = (hits: number[]): void => settle(() => resolve(hits));
          const failed = (error: Error): void => settle(() => reject(error));
          const stopped = (): void => {
            gone();
            settle(() => reject(signal.reason as Error));
          };
          const timer = setTimeout(() => {
            gone();
            settle(() => resolve(undefined));
          }, ms);
          if (signal.aborted) return stopped();
          signal.addEventListener('abort', stopped, { once: true });
          worker.on('message', found).on('error', failed);
          worker.postMessage(lines);
        }),
    };
  }
}

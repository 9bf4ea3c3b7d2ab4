/** The cases of the bench `stop`: how a run gets there, what stops it, and the floor beneath: the same without Holdfast. */
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { HoldfastCore } from '../../src/core/api';
import type { Receipt, RunState } from '../../src/core/run/state';
import { isStopped, processRow } from '../../src/node/processes/table';
import type { Reply } from '../../test/scenarios/serverReply';
import { livingProcesses } from '../../test/scenarios/processes';

export interface Place {
  core: HoldfastCore;
  workspace: string;
  /** URL of the model server, for floors that stream. */
  modelUrl: string;
}

export interface Case {
  name: string;
  stop: 'pause' | 'abort';
  replies: Reply[];
  /** Once, before the first trial. */
  prepare?(place: Place): Promise<void>;
  /** Settles when the run is where it is to be stopped. */
  ready(place: Place, runId: string): Promise<void>;
  /** Everything wrong with where it stands after the stop. */
  after?(state: RunState): string[];
  floor(place: Place): Promise<number>;
  settings?: Record<string, unknown>;
  /** Added to the goal: what the setting grants a command. */
  graced?: true;
}

const running = (n: number) => (s: RunState) => s.steps[n - 1]?.outcome === 'running';

export function until(core: HoldfastCore, runId: string, what: string, fits: (s: RunState) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const state = core.get(runId);
      if (!state || !fits(state)) return;
      clearTimeout(late);
      end();
      resolve();
    };
    const late = setTimeout(() => {
      end();
      reject(new Error(`never ${what}: the run is ${core.get(runId)?.status}`));
    }, 20_000);
    const end = core.onDidChange(look);
    look();
  });
}

/** Milliseconds from an abort to the rejection of what heard it. */
export async function rejection(start: (signal: AbortSignal) => Promise<unknown>): Promise<number> {
  const abort = new AbortController();
  const settled = start(abort.signal).then(
    () => false,
    () => true,
  );
  await delay(2);
  const from = performance.now();
  abort.abort();
  if (!(await settled)) throw new Error('the floor ended before its abort');
  return performance.now() - from;
}

/** Milliseconds from a KILL of the group to the `close` of a shell; `lines`: how many lines say that all of it has started. */
export async function killed(command: string, lines: number): Promise<number> {
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.split('\n').length > lines) resolve();
    });
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const from = performance.now();
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await closed;
  return performance.now() - from;
}

const call = (tool: string, args: object): Reply => ({ calls: [{ tool, args }] });
const ask = { model: 'floor', stream: true, messages: [{ role: 'user', content: 'go' }] };

/** Requests a stream and reads it until the abort. */
async function stream(url: string, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify(ask);
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body, signal });
  await response.text();
}

/** 20 processes in all: the shell, 17 that hear TERM, and two that ignore it, one of them in a session of its own. */
const TREE = `i=0; while [ $i -lt 17 ]; do sleep 600 & i=$((i+1)); done; trap '' TERM; sleep 600 & setsid sleep 600 & trap - TERM; echo up; wait`;
const FILES = 400;

export const CASES: readonly Case[] = [
  {
    name: 'model streaming',
    stop: 'pause',
    replies: [{ text: 'one two three', hang: 'afterText' }],
    ready: ({ core }, id) => until(core, id, 'streaming', (s) => (s.partial?.text ?? '') !== ''),
    floor: ({ modelUrl }) => rejection((signal) => stream(modelUrl, signal)),
  },
  {
    name: 'retry wait',
    stop: 'pause',
    replies: [{ status: 429, retryAfterS: 600 }],
    ready: ({ core }, id) => until(core, id, 'waiting', (s) => s.inFlight?.kind === 'retry'),
    floor: () => rejection((signal) => delay(600_000, undefined, { signal })),
  },
  {
    name: 'read tool',
    stop: 'pause',
    replies: [call('search_text', { query: '(x+)+y', regex: true }), { text: 'late', hang: 'afterText' }],
    prepare: async ({ workspace }) => {
      await mkdir(path.join(workspace, 'many'));
      for (let i = 0; i < FILES; i += 1)
        await writeFile(path.join(workspace, 'many', `f${i}.txt`), 'some words in a line\n'.repeat(5000));
    },
    ready: ({ core }, id) => until(core, id, 'reading', running(1)),
    after: (s) => (s.steps[0]?.outcome === 'cancelledBeforeEffect' ? [] : [`the read is ${s.steps[0]?.outcome}`]),
    floor: ({ workspace }) =>
      rejection(async (signal) => {
        for (let i = 0; ; i = (i + 1) % FILES) await readFile(path.join(workspace, 'many', `f${i}.txt`), { signal });
      }),
  },
  {
    name: 'freeze of a command',
    stop: 'pause',
    replies: [call('run_command', { command: 'sleep 600 & sleep 600 & echo up; wait' })],
    ready: async ({ core }, id) => {
      await until(core, id, 'running', (s) => s.steps[0]?.process !== undefined);
      await members(id, 3);
    },
    after: (s) => {
      const moving = livingProcesses({ runIds: [s.runId], root: undefined, mark: undefined }).filter(({ pid }) => {
        const row = processRow(pid);
        return row !== undefined && !isStopped(row);
      });
      return s.frozen === null ? ['not frozen'] : moving.map((p) => `still runs: ${p.pid} ${p.command}`);
    },
    floor: () => killed('sleep 600 & sleep 600 & echo up; wait', 1),
  },
  {
    name: 'abort of a tree of 20',
    stop: 'abort',
    replies: [call('run_command', { command: TREE })],
    ready: ({ core }, id) =>
      until(core, id, 'running', (s) => s.steps[0]?.process !== undefined).then(() => members(id, 20)),
    floor: () => killed(TREE.replaceAll('setsid ', ''), 1),
    graced: true,
  },
  {
    name: 'silent MCP server',
    stop: 'pause',
    replies: [call('mcp.silent.never', {})],
    settings: {
      'holdfast.mcp.servers': {
        silent: { command: process.execPath, args: [path.resolve('test/fixtures/mcp/server.mjs')] },
      },
    },
    ready: ({ core }, id) => until(core, id, 'calling', (s) => s.steps[0]?.effect === 'requested'),
    after: (s) => (s.steps[0]?.outcome === 'unknown' ? [] : [`the call is ${s.steps[0]?.outcome}`]),
    floor: () => rejection((signal) => delay(600_000, undefined, { signal })),
  },
];

/** Waits until so many processes carry the run's mark. */
async function members(runId: string, count: number): Promise<void> {
  const end = performance.now() + 20_000;
  while (livingProcesses({ runIds: [runId], root: undefined, mark: undefined }).length < count) {
    if (performance.now() > end) throw new Error(`never ${count} processes`);
    await delay(5);
  }
}

export const isReceipt = (answer: object): answer is Receipt => 'intent' in answer;

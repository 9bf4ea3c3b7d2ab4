import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commands, window } from 'vscode';
import { ScriptedModel, type Reply } from '../../scenarios/server';
import { api, call, clean, granted, isRefusal, LIMIT_MS, put, runIs, setting, text } from './support';

const STEPS = 200;
const CANARY = 'sk-canary-5b1f0e7c9d3a42688e1d';

async function useModel(model: ScriptedModel): Promise<void> {
  const url = await model.start();
  for (const [key, value] of [
    ['holdfast.approvals', 'auto'],
    ['holdfast.model', 'openai'],
    ['holdfast.openai.baseUrl', url],
    ['holdfast.openai.modelId', 'scripted'],
  ])
    await setting(key ?? '', value);
}

/** Reads, writes, edits and searches, in turn. */
function replies(count: number): Reply[] {
  return Array.from({ length: count }, (_, i): Reply => {
    const file = `steps/${Math.floor(i / 4)}.txt`;
    const calls = [
      { tool: 'write_file', args: { path: file, content: `step ${i}\n${'a line of text\n'.repeat(40)}` } },
      { tool: 'read_file', args: { path: file } },
      { tool: 'edit_file', args: { path: file, old_text: `step ${i - 2}`, new_text: `edited by step ${i}` } },
      { tool: 'search_text', args: { query: `edited by step ${i - 1}` } },
    ];
    const one = calls[i % 4];
    return { text: `Now comes step ${i + 1}.`, ...(one ? { calls: [one] } : {}) };
  });
}

/** In ms. */
interface Delays {
  median: number;
  worst: number;
  n: number;
}

/** How late something comes, again and again until it is stopped; `ownMs` of each are its own. */
function delays(work: () => Promise<unknown>, everyMs: number, ownMs = 0): () => Promise<Delays> {
  const seen: number[] = [];
  let going = true;
  const loop = (async () => {
    while (going) {
      const from = performance.now();
      await work();
      seen.push(performance.now() - from - ownMs);
      await sleep(everyMs);
    }
  })();
  return async () => {
    going = false;
    await loop;
    seen.sort((a, b) => a - b);
    return { median: seen[Math.floor(seen.length / 2)] ?? 0, worst: seen.at(-1) ?? 0, n: seen.length };
  };
}

interface Pace<T> {
  result: T;
  seconds: number;
  timer: Delays;
  command: Delays;
  window: Delays;
}

/** How late timers are, and how long a command of ours and a round trip to the window take, while the work goes on. */
async function measured<T>(work: () => Promise<T>): Promise<Pace<T>> {
  // of the timer only what comes on top of its wait is of interest
  const timer = delays(() => sleep(20), 0, 20);
  const command = delays(() => call('holdfast.pause', { runId: 'r-nobody' }), 50);
  const window = delays(async () => commands.executeCommand('setContext', 'holdfast.test', Date.now()), 50);
  const from = performance.now();
  const result = await work();
  const seconds = (performance.now() - from) / 1000;
  return { result, seconds, timer: await timer(), command: await command(), window: await window() };
}

describe('a run by a model service', function () {
  this.timeout(5 * LIMIT_MS);
  let model: ScriptedModel | undefined;
  afterEach(async () => {
    await clean();
    await model?.stop();
  });

  it(`completes ${STEPS} steps while the window stays responsive`, async () => {
    await commands.executeCommand('workbench.view.extension.holdfast'); // the tree and the steering view are shown
    model = new ScriptedModel([...replies(STEPS), { text: 'All steps are done.' }]);
    await useModel(model);
    const floor = await measured(() => sleep(2000));
    const heapBefore = process.memoryUsage().heapUsed;
    const {
      result: state,
      seconds,
      ...busy
    } = await measured(async () => {
      const { runId } = granted(await call('holdfast.startRun', { goal: 'Take two hundred steps' }));
      return (await api()).test.core.settled(runId); // however long that takes
    });
    const heap = (process.memoryUsage().heapUsed - heapBefore) / 1024 / 1024;
    const ms = ({ median, worst }: { median: number; worst: number }): string =>
      `median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`;
    console.log(
      `    ${STEPS} steps: ${seconds.toFixed(1)} s, ${model.count} requests, heap ${heap >= 0 ? '+' : ''}${heap.toFixed(0)} MB`,
    );
    console.log(
      `    a timer is late by: ${ms(busy.timer)}; a command of ours takes: ${ms(busy.command)} (${busy.command.n} times)`,
    );
    console.log(
      `    a round trip to the window takes: ${ms(busy.window)} (${busy.window.n} times); before: ${ms(floor.window)}`,
    );
    assert.equal(state.status, 'completed', state.reason?.text);
    assert.equal(state.steps.length, STEPS);
    assert.deepEqual(
      state.steps.filter((step) => step.outcome !== 'done').map((step) => `${step.n} ${step.outcome} ${step.text}`),
      [],
    );
    assert.deepEqual(model.unpaired, []);
    assert.match(text('steps/49.txt'), /^edited by step 198\n/);
    // beside what the same took before the run: a busy machine is slow in both
    for (const [name, most] of [
      ['timer', 50],
      ['command', 100],
      ['window', 250],
    ] as const) {
      const [now, before] = [busy[name], floor[name]];
      assert.ok(now.median < most + 3 * before.median, `${name}: ${ms(now)}; before the run: ${ms(before)}`);
      assert.ok(now.worst < 20 * most + 10 * before.worst, `${name}: ${ms(now)}; before the run: ${ms(before)}`);
    }
  });

  it('keeps the key in secret storage alone', async () => {
    model = new ScriptedModel([
      { text: 'One step.', calls: [{ tool: 'read_file', args: { path: 'readme.txt' } }] },
      { text: 'That is all.' },
      { status: 401, body: { error: { message: `Incorrect API key provided: ${CANARY}.`, type: 'invalid' } } },
    ]);
    await useModel(model);
    const ask: unknown = Reflect.get(window, 'showInputBox');
    const answer = async (words: string): Promise<void> => {
      let options: unknown;
      Reflect.set(window, 'showInputBox', (given: unknown) => ((options = given), Promise.resolve(words)));
      await call('holdfast.setApiKey').finally(() => Reflect.set(window, 'showInputBox', ask));
      assert.equal(Reflect.get(Object(options), 'password'), true, 'the box hides what is typed');
    };
    await answer(CANARY);
    put('readme.txt', 'one\n');
    try {
      const { runId } = granted(await call('holdfast.startRun', { goal: 'Use the key' }));
      const { steps } = await runIs(runId, 'completed', 'paused');
      assert.equal(steps.length, 1);
      assert.deepEqual(
        model.requests.map((request) => [request.authorization, request.body.includes(CANARY)]),
        [
          [`Bearer ${CANARY}`, false],
          [`Bearer ${CANARY}`, false],
        ],
      );
      // a service that repeats the key in its refusal
      const { runId: refused } = granted(await call('holdfast.startRun', { goal: 'Be refused' }));
      const state = await runIs(refused, 'paused', 'failed');
      assert.equal(state.reason?.code, 'auth');
      assert.ok(!JSON.stringify(state).includes(CANARY));
      const { core } = (await api()).test;
      assert.ok(!JSON.stringify(core.runs()).includes(CANARY));
      const holders = filesWith(CANARY, process.env['HOLDFAST_TEST_USER_DATA'] ?? '');
      assert.deepEqual(holders, [], 'no file of the profile holds the key');
    } finally {
      await answer('');
    }
    const { runId } = granted(await call('holdfast.startRun', { goal: 'Without a key' }));
    await runIs(runId, 'completed', 'paused', 'failed');
    assert.equal(model.requests.at(-1)?.authorization, undefined);
  });

  it('a service that is not set up is a refusal in one sentence', async () => {
    await setting('holdfast.model', 'openai');
    await setting('holdfast.openai.baseUrl', '');
    const answer = await call('holdfast.startRun', { goal: 'x' });
    assert.ok(isRefusal(answer));
    assert.match(answer.message, /\.$/);
  });
});

/** Storage of the extension, logs and settings; not the browser's own data, which is elsewhere. */
function filesWith(words: string, below: string): string[] {
  const found = fs.readdirSync(below, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(found.length > 0, 'there are files to look at');
  return found
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => fs.readFileSync(file).includes(words));
}

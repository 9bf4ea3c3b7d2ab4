import assert from 'node:assert/strict';
import type { HoldfastCore } from '../../../src/core/api';
import { onDemand } from '../../../src/core/onDemand';
import type { RunState } from '../../../src/core/run/state';

/** A core that counts how often it is made and tells what was asked of it. */
function counted() {
  const asked: string[] = [];
  const listeners = new Set<(state: RunState) => void>();
  const core = new Proxy({} as HoldfastCore, {
    get: (_target, name: string) =>
      name === 'then'
        ? undefined
        : name === 'onDidChange'
          ? (listener: (state: RunState) => void) => {
              listeners.add(listener);
              return () => listeners.delete(listener);
            }
          : (...given: unknown[]) => {
              asked.push(`${name} ${JSON.stringify(given)}`);
              return name === 'runs' ? [{ runId: 'r' }] : name === 'current' ? { runId: 'r' } : Promise.resolve(name);
            },
  });
  let made = 0;
  return {
    asked,
    listeners,
    times: () => made,
    lazy: onDemand(() => {
      made += 1;
      return Promise.resolve(core);
    }),
  };
}

describe('a core opened on demand', () => {
  it('is not made by looking, listening or closing', async () => {
    const { lazy, times } = counted();
    const stop = lazy.onDidChange(() => undefined);
    assert.deepEqual([lazy.current(), lazy.get('r'), lazy.runs()], [undefined, undefined, []]);
    stop();
    await lazy.dispose();
    assert.equal(times(), 0);
  });

  it('is made once by the first command, with what was asked', async () => {
    const { lazy, asked, times } = counted();
    await Promise.all([lazy.open(), lazy.startRun({ goal: 'g' }), lazy.pause({ runId: 'r' })]);
    assert.deepEqual(asked, ['startRun [{"goal":"g"}]', 'pause [{"runId":"r"}]']);
    assert.equal(times(), 1);
    assert.deepEqual([lazy.runs(), lazy.current()], [[{ runId: 'r' }], { runId: 'r' }]);
    await lazy.dispose();
    assert.equal(asked.at(-1), 'dispose []');
  });

  it('tells listeners of before what changes afterwards, until they end', async () => {
    const { lazy, listeners } = counted();
    const heard: string[] = [];
    const stop = lazy.onDidChange((state) => heard.push(`before ${state.runId}`));
    const gone = lazy.onDidChange(() => heard.push('never'));
    gone();
    await lazy.open();
    lazy.onDidChange((state) => heard.push(`after ${state.runId}`));
    for (const listener of listeners) listener({ runId: 'r' } as RunState);
    stop();
    for (const listener of listeners) listener({ runId: 's' } as RunState);
    assert.deepEqual(heard, ['before r', 'after r', 'after s']);
  });
});

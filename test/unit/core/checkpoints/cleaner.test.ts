import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { HoldfastCore } from '../../../../src/core/api';
import type { RetentionLimits } from '../../../../src/core/checkpoints/retention';
import { openHoldfast } from '../../../../src/core/holdfast';
import { sha256 } from '../../../../src/node/hash';
import { NodeStore } from '../../../../src/node/store';
import { until } from '../../node/helpers';
import { nodePorts } from '../kill/host';

const DAY = 24 * 60 * 60 * 1000;

describe('the storage stays within its limits', function () {
  this.timeout(60_000);
  let dir = '';
  let cores: HoldfastCore[] = [];
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-clean-')));
    mkdirSync(path.join(dir, 'workspace'));
    cores = [];
  });
  afterEach(async () => {
    for (const core of cores) await core.dispose();
    rmSync(dir, { recursive: true, force: true });
  });

  async function open(limits: RetentionLimits, later = 0): Promise<HoldfastCore> {
    for (const core of cores) await core.dispose();
    const storage = path.join(dir, 'storage');
    const ports = nodePorts({ workspace: path.join(dir, 'workspace'), storage });
    const store = new NodeStore({ dir: storage });
    const clock = { ...ports.clock, now: () => Date.now() + later, sleep: ports.clock.sleep.bind(ports.clock) };
    const settings = { ...ports.settings, checkpoints: () => limits };
    const core = await openHoldfast({ ...ports, store, retention: store.retention, clock, settings });
    cores.push(core);
    return core;
  }

  /** Writes a text of its own, and ends. */
  async function run(core: HoldfastCore, text: string): Promise<string> {
    const steps = [{ tool: 'write_file', with: { path: `${text}.txt`, content: contentOf(text) } }];
    const source = JSON.stringify({ goal: text, steps });
    const started = await core.startRun({ engine: { kind: 'playbook', label: 'p', source, format: 'json' } });
    assert.ok('runId' in started, JSON.stringify(started));
    assert.equal((await core.settled(started.runId)).status, 'completed');
    return started.runId;
  }
  const contentOf = (text: string): string => `${text}\n`.repeat(60_000);
  const ids = (core: HoldfastCore): string[] => core.runs().map(({ runId }) => runId);
  const stored = (): string[] => readdirSync(path.join(dir, 'storage', 'runs'));
  const has = async (core: HoldfastCore, text: string): Promise<boolean> =>
    (await core.content(sha256(Buffer.from(contentOf(text))))) !== undefined;
  const WIDE = { maxMegabytes: 512, maxAgeDays: 30 };

  it('what is past its age goes at the next start, with its contents; pinned runs and the last one stay', async () => {
    let core = await open(WIDE);
    const [old, kept, last] = [await run(core, 'old'), await run(core, 'kept'), await run(core, 'last')];
    assert.deepEqual(await core.pinRun({ runId: kept, pinned: true }), { pinned: true });
    assert.equal(core.runs().find(({ runId }) => runId === kept)?.pinned, true);
    core = await open(WIDE, 31 * DAY);
    await until('the old run is gone', () => stored().length === 2, 20_000);
    assert.deepEqual(ids(core), [last, kept]);
    assert.equal(await core.load(old), undefined);
    await until('its content is gone', async () => !(await has(core, 'old')), 20_000);
    assert.deepEqual([await has(core, 'kept'), await has(core, 'last')], [true, true]);
    assert.equal(core.runs().find(({ runId }) => runId === kept)?.pinned, true);
  });

  it('above its size the oldest go, when a run ends', async () => {
    const core = await open({ ...WIDE, maxMegabytes: 1 });
    const runs: string[] = [];
    for (const text of ['first', 'second', 'third', 'fourth']) runs.push(await run(core, text.padEnd(12, '.')));
    await until('the first is gone', () => !stored().includes(runs[0] ?? ''), 20_000);
    assert.ok(stored().includes(runs[3] ?? ''));
    await until('their sizes are known', () => core.runs().every(({ size }) => size !== undefined), 20_000);
    for (const { size } of core.runs()) assert.ok(size && size.own > 500 && size.contents > 100);
  });

  it('Delete Run frees its contents, and not those another run names', async () => {
    const core = await open(WIDE);
    const one = await run(core, 'one');
    rmSync(path.join(dir, 'workspace', 'one.txt'));
    const same = await run(core, 'one');
    const other = await run(core, 'two');
    assert.deepEqual(await core.deleteRun({ runId: other }), { deleted: true });
    await until('its content is gone', async () => !(await has(core, 'two')), 20_000);
    assert.deepEqual(await core.deleteRun({ runId: one }), { deleted: true });
    assert.equal(await has(core, 'one'), true);
    assert.deepEqual(await core.deleteRun({ runId: same }), { deleted: true });
    await until('its content is gone', async () => !(await has(core, 'one')), 20_000);
  });
});

import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openHoldfast } from '../../../src/core/holdfast';
import { type RunState, SCHEMA_VERSION } from '../../../src/core/run/state';
import { tree, useFolder } from '../node/helpers';
import { nodePorts, type Place } from './kill/host';

const SAMPLES = path.resolve('test/fixtures/storage');

type Json = Record<string, unknown>;
const readJson = (file: string): Json => JSON.parse(readFileSync(file, 'utf8')) as Json;

describe('what earlier versions stored', function () {
  this.timeout(60_000); // on a busy disk a sync takes its time
  const folder = useFolder();
  const place = (): Place => ({ workspace: folder.at('workspace'), storage: folder.at('storage') });
  const runFolder = (runId: string): string => folder.at('storage/runs', runId);

  it('has a sample of every version before this one', () => {
    const versions = readdirSync(SAMPLES).map(Number);
    assert.deepEqual(
      versions.sort((a, b) => a - b),
      Array.from({ length: SCHEMA_VERSION - 1 }, (_, n) => n + 1),
    );
  });

  for (const version of readdirSync(SAMPLES)) {
    it(`version ${version}: runs are listed, the paused one goes on, contents are found`, async () => {
      cpSync(path.join(SAMPLES, version), folder.dir, { recursive: true });
      const before = new Map(tree(folder.at('storage')));
      const core = await openHoldfast(nodePorts(place()));
      const statuses = new Map(core.runs().map((run) => [run.status, run.runId]));
      assert.deepEqual([...statuses.keys()].sort(), ['completed', 'paused']);
      const [runId, over] = [statuses.get('paused') ?? '', statuses.get('completed') ?? ''];
      const paused = await core.load(runId);
      assert.deepEqual(
        paused?.steps.map((step) => step.outcome),
        ['done', 'done', 'notStarted'],
      );
      const changes = paused.steps.flatMap((step) => step.changes);
      assert.ok(changes.length >= 2);
      for (const { after } of changes) assert.ok(after !== null && (await core.content(after)) !== undefined);
      await core.resume({ runId });
      const done = await core.settled(runId);
      assert.equal(
        done.status,
        'completed',
        JSON.stringify([done.reason, done.decisions, done.report, done.steps.map((x) => [x.outcome, x.text])]),
      );
      assert.equal(readFileSync(folder.at('workspace/d.txt'), 'utf8'), 'd\n');
      assert.match(readFileSync(folder.at('workspace/a.txt'), 'utf8'), /two\nthree\nend/);
      await core.dispose();
      const state = readJson(path.join(runFolder(runId), 'state.json'));
      assert.equal(state['schemaVersion'], SCHEMA_VERSION);
      // nothing of what was stored is gone: the run nobody touched is as it was, old contents too
      for (const [name, text] of before) {
        if (name.includes(over) || name.startsWith('blobs/'))
          assert.equal(readFileSync(folder.at('storage', name), 'latin1'), text, name);
      }
    });
  }

  it('members that nobody knows survive in state and index', async () => {
    cpSync(path.join(SAMPLES, '1'), folder.dir, { recursive: true });
    const index = readJson(folder.at('storage/runs.json')) as { runs: Json[] };
    const runId = String(index.runs.find((run) => run['status'] === 'paused')?.['runId']);
    const file = path.join(runFolder(runId), 'state.json');
    const state = readJson(file) as unknown as RunState & Json;
    state['fromElsewhere'] = { kept: true };
    Object.assign(state.steps[0] ?? {}, { mark: 'kept' });
    writeFileSync(file, JSON.stringify(state));
    for (const run of index.runs) run['colour'] = 'red';
    Object.assign(index, { theme: 'dark' });
    writeFileSync(folder.at('storage/runs.json'), JSON.stringify(index));

    const core = await openHoldfast(nodePorts(place()));
    await core.resume({ runId });
    await core.settled(runId);
    await core.dispose();
    const after = readJson(file) as unknown as RunState & Json;
    assert.equal(after.status, 'completed', JSON.stringify([after.reason, after.decisions, after.report]));
    assert.deepEqual(after['fromElsewhere'], { kept: true });
    assert.equal((after.steps[0] as unknown as Json)['mark'], 'kept');
    const indexAfter = readJson(folder.at('storage/runs.json')) as { runs: Json[]; theme: string };
    assert.equal(indexAfter.theme, 'dark');
    assert.deepEqual(
      indexAfter.runs.map((run) => run['colour']),
      ['red', 'red'],
    );
  });

  it('of a newer version nothing is changed, and new runs are stored beside it', async () => {
    cpSync(path.join(SAMPLES, '1'), folder.dir, { recursive: true });
    const index = readJson(folder.at('storage/runs.json')) as { runs: Json[] };
    const runIds = index.runs.map((run) => String(run['runId']));
    for (const runId of runIds) {
      const file = path.join(runFolder(runId), 'state.json');
      writeFileSync(file, JSON.stringify({ ...readJson(file), schemaVersion: 999 }));
    }
    const before = tree(folder.at('storage/runs'));
    const core = await openHoldfast(nodePorts(place()));
    for (const runId of runIds) {
      assert.equal(await core.load(runId), undefined);
      assert.ok('refused' in (await core.resume({ runId })));
    }
    const source = JSON.stringify({
      goal: 'new',
      steps: [{ title: 'x', tool: 'write_file', with: { path: 'x.txt', content: 'x\n' } }],
    });
    const started = await core.startRun({ engine: { kind: 'playbook', label: 'p.json', source, format: 'json' } });
    assert.ok('runId' in started, JSON.stringify(started));
    assert.equal((await core.settled(started.runId)).status, 'completed');
    await core.dispose();
    assert.ok(existsSync(folder.at('workspace/x.txt')));
    assert.deepEqual(
      tree(folder.at('storage/runs')).filter(([name]) => !name.startsWith(started.runId)),
      before,
    );
  });
});

/** A snapshot holds the text of a step once; whoever reads it has it in both places, and each member where it was. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { type JournalRecord, type LoadedRun } from '../../../src/core/ports';
import { foldLoaded, loadFolded } from '../../../src/core/run/load';
import type { RunEvent } from '../../../src/core/run/events';
import type { RunState } from '../../../src/core/run/state';
import { NodeStore } from '../../../src/node/store';
import { Stage, call } from '../core/run/stage';
import { useFolder } from './helpers';

/** A run with results of several kinds, one of which says something else than its step. */
async function aRun(): Promise<RunState> {
  const stage = await Stage.open({
    files: { 'x.txt': 'one\ntwo\n' },
    replies: [
      call('read_file', { path: 'x.txt' }),
      call('edit_file', { path: 'x.txt', old_text: 'one', new_text: 'uno' }),
      call('read_file', { path: 'none.txt' }),
    ],
  });
  await stage.untilStatus('completed');
  const { state } = stage;
  const transcript = state.transcript.map((entry) =>
    entry.kind === 'result' && entry.stepId.endsWith('s3') ? { ...entry, text: 'told in other words' } : entry,
  );
  return { ...state, runId: 'r', transcript };
}

describe('store: texts that a snapshot shares', () => {
  const folder = useFolder();
  const store = (): NodeStore => new NodeStore({ dir: folder.at('storage') });
  const file = (): string => folder.at('storage/runs/r/state.json');

  async function stored(): Promise<RunState> {
    const state = await aRun();
    const run = await store().open('r');
    await run.snapshot(state);
    await run.close();
    return state;
  }

  it('are written once and read in both places, members in their order', async () => {
    const state = await stored();
    const text = readFileSync(file(), 'utf8');
    for (const { text: one } of state.steps.slice(0, 2)) assert.equal(text.split(JSON.stringify(one)).length, 2, one);
    assert.ok(text.includes('told in other words'));
    const loaded = await store().load('r');
    assert.equal(JSON.stringify(loaded?.snapshot), JSON.stringify(state));
  });

  it('are found by a reader of the whole too, and where the snapshot of before has them twice', async () => {
    const state = await stored();
    const parsed = JSON.parse(readFileSync(file(), 'utf8')) as Record<string, unknown>;
    delete parsed['sum'];
    const old = { ...state, schemaVersion: 2 };
    writeFileSync(file(), JSON.stringify({ ...parsed, schemaVersion: 1 }));
    assert.deepEqual((await store().load('r'))?.snapshot, state);
    writeFileSync(file(), JSON.stringify({ ...old, schemaVersion: 1 }));
    assert.deepEqual((await store().load('r'))?.snapshot, state);
  });
});

describe('store: a run that is folded while it is read', () => {
  const folder = useFolder();

  it('is what its records make when they are read first, damage and gaps included', async () => {
    const engine = { kind: 'model', provider: 'sim' } as const;
    const model = { provider: 'sim', label: 'sim', fixed: false };
    const started: RunEvent = { type: 'runStarted', runId: 'r', goal: 'g', engine, model, outline: [], files: [] };
    const records = Array.from({ length: 60 }, (_, n): JournalRecord => ({
      ...{ seq: n + 1, at: n },
      event: n === 0 ? started : { type: 'noteAdded', text: `note ${n}`, now: false },
    }));
    const store = new NodeStore({ dir: folder.at('storage') });
    const run = await store.open('r');
    for (const record of records) await run.append([record], { sync: false, boundary: false });
    await run.close();
    const file = folder.at('storage/runs/r/journal.jsonl');
    const whole = readFileSync(file, 'utf8');
    const lines = whole.split('\n');
    const at = 20;
    const without = (n: number): string => lines.toSpliced(n, 1).join('\n');
    const damaged = whole.replace(lines[at] ?? '', (lines[at] ?? '').replace('"seq"', '"sex"'));
    for (const text of [whole, whole.slice(0, -30), damaged, without(at), without(1), '']) {
      writeFileSync(file, text);
      const heard: JournalRecord[] = [];
      const fresh = new NodeStore({ dir: folder.at('storage') });
      const first = (await fresh.load('r')) as LoadedRun;
      const told = await fresh.load('r', {
        begin: () => void heard.splice(0),
        take: (record) => void heard.push(record),
      });
      assert.deepEqual(heard, first.tail);
      assert.deepEqual([told?.tail, told?.damage], [[], first.damage]);
      const folded = await loadFolded(fresh, 'r');
      assert.deepEqual(folded, { state: foldLoaded(first), damage: first.damage });
    }
  });

  it('of a newer version nothing is heard in the end', async () => {
    const store = new NodeStore({ dir: folder.at('storage') });
    await (await store.open('r')).close();
    writeFileSync(folder.at('storage/runs/r/journal.jsonl'), '{"journal":99,"runId":"r"}\n{"any":"thing"}\n');
    assert.equal((await loadFolded(store, 'r'))?.state, undefined);
  });
});

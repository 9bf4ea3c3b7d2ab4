import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Faults, withFaults } from '../../../../src/node/faults';
import { realFs } from '../../../../src/node/fs';
import { dyingAfter, useFolder } from '../../node/helpers';
import { granted, Machine, refused, write } from './machine';

describe('a run handed over on a bad day', function () {
  this.timeout(120_000);
  const folder = useFolder();
  const file = (): string => folder.at('run.holdfast-run');
  const STEPS = [
    write('a.txt', 'a\n'.repeat(50)),
    write('b.txt', 'b\n'),
    { ...write('c.txt', 'c\n'), pauseBefore: true },
  ];
  const scraps = (dir: string): string[] =>
    existsSync(dir) ? (readdirSync(dir, { recursive: true }) as string[]).filter((name) => name.endsWith('.tmp')) : [];

  it('a full or broken disk is said; nothing half-written stays, nothing is lost, and it works when there is room', async () => {
    const faults = new Faults();
    const one = await new Machine(folder.at('one')).open(withFaults(realFs, faults));
    const { runId } = await one.start(STEPS);
    const before = JSON.stringify(one.core.get(runId));
    for (const [op, error, words] of [
      ['write', 'ENOSPC', /no room/],
      ['fsync', 'EIO', /could not be exported \(EIO\)/],
      ['rename', 'EACCES', /may not be written there/],
    ] as const) {
      faults.add({ op, error, path: (name) => name === file() });
      assert.match(refused(await one.core.exportRun({ runId, target: file() })).message, words);
      faults.clear();
      assert.equal(existsSync(file()), false);
    }
    assert.equal(JSON.stringify(one.core.get(runId)), before);
    granted(await one.core.exportRun({ runId, target: file() }));
    await one.core.dispose();

    const two = await new Machine(folder.at('two')).open(withFaults(realFs, faults));
    for (const [op, name, error, words] of [
      ['read', 'run.holdfast-run', 'EIO', /could not be imported \(EIO\)/],
      ['open', 'run.holdfast-run', 'EACCES', /may not be opened/],
      ['write', 'imported.jsonl', 'ENOSPC', /no room/],
      ['write', '.pack', 'ENOSPC', /no room/],
      ['fsync', 'journal.jsonl', 'EIO', /could not be imported/],
      ['rename', runId, 'EIO', /could not be imported/],
    ] as const) {
      faults.add({ op, error, path: (at) => at.endsWith(name) });
      assert.match(refused(await two.core.importRun({ target: file() })).message, words, `${op} ${name}`);
      faults.clear();
      assert.deepEqual(readdirSync(path.join(two.workspace)), []);
      const runs = path.join(two.storage, 'runs');
      assert.deepEqual(existsSync(runs) ? readdirSync(runs) : [], [], `${op} ${name}`);
    }
    granted(await two.core.importRun({ target: file() }));
    granted(await two.core.resume({ runId }));
    assert.equal((await two.core.settled(runId)).status, 'completed');
    await two.core.dispose();
    assert.deepEqual([...scraps(one.storage), ...scraps(two.storage)], []);
  });

  it('an import that dies at any call of the file system left no run or a whole one, and can be made again', async () => {
    const one = await new Machine(folder.at('one')).open();
    const { runId } = await one.start(STEPS);
    granted(await one.core.exportRun({ runId, target: file() }));
    const seen = one.core.get(runId);
    await one.core.dispose();
    let none = 0;
    let whole = 0;
    for (let allowed = 0; ; allowed += 3) {
      const place = folder.at(`two-${allowed}`);
      let left = Infinity;
      const dying = await new Machine(place).open(dyingAfter(() => left-- > 0));
      left = allowed;
      const answer = await dying.core.importRun({ target: file() }).catch(() => undefined);
      const survived = answer !== undefined && 'runId' in answer && left > 0;
      left = 0;
      await dying.core.dispose().catch(() => undefined);
      const two = await new Machine(place).open();
      const listed = two.core.runs().map((run) => run.runId);
      if (listed.length === 0) {
        none += 1;
        granted(await two.core.importRun({ target: file() }));
      } else whole += 1;
      const state = await two.core.load(runId);
      assert.deepEqual([state?.status, state?.steps.length], ['paused', seen?.steps.length], `after ${allowed} calls`);
      for (const { after } of state?.steps.flatMap((step) => step.changes) ?? [])
        assert.ok(await two.core.content(after ?? ''), `after ${allowed} calls`);
      await two.core.dispose();
      assert.deepEqual(
        scraps(two.storage).filter((name) => name.startsWith('runs/')),
        [],
        `after ${allowed} calls`,
      );
      if (survived) break;
    }
    assert.ok(none > 5 && whole > 0, `${none} times none, ${whole} times whole`);
  });

  it('an export that dies leaves nothing under the name, and no scrap beside it', async () => {
    const made = await new Machine(folder.at('one')).open();
    const { runId } = await made.start(STEPS);
    await made.core.dispose();
    for (let allowed = 0; ; allowed += 2) {
      let left = Infinity;
      const dying = await new Machine(folder.at('one')).open(dyingAfter(() => left-- > 0));
      await dying.core.load(runId);
      left = allowed;
      const answer = await dying.core.exportRun({ runId, target: file() }).catch(() => undefined);
      left = 0;
      await dying.core.dispose().catch(() => undefined);
      assert.deepEqual(
        readdirSync(folder.dir).filter((name) => name !== 'one'),
        existsSync(file()) ? ['run.holdfast-run'] : [],
      );
      if (answer && 'bytes' in answer) break;
    }
    assert.ok(readFileSync(file()).length > 500);
    const again = await new Machine(folder.at('one')).open();
    granted(await again.core.forkRun({ runId }));
    await again.core.dispose();
    assert.deepEqual(scraps(again.storage), [], 'what was left is gone with the next write');
  });
});

import assert from 'node:assert/strict';
import type { Ports, ProcessId } from '../../../../src/core/ports';
import { settleAfterCrash } from '../../../../src/core/run/settle';
import { survivorWords } from '../../../../src/core/run/survivors';
import { stepOf } from '../../../../src/core/run/update';
import { slow, Stage } from './stage';

const sure: ProcessId = { pid: 7, startTime: '1', command: 'serve' };
const unsure: ProcessId = { pid: 8, startTime: '2', command: 'daemon', unsure: true };

describe('what outlives a command', function () {
  this.timeout(30_000);

  it('is said to live, or perhaps to be its, never both', () => {
    assert.equal(survivorWords([]), '');
    assert.equal(survivorWords([sure]), ' Still alive: process 7 (serve).');
    assert.match(
      survivorWords([sure, unsure]),
      /alive: process 7 \(serve\)\. Perhaps .*left alone: process 8 \(daemon\)\.$/,
    );
  });

  it('is named in the result, in the receipt and in the state when it was left alone', async () => {
    const stage = await Stage.open({ replies: [slow('a')] });
    stage.world.processes.suspected = [unsure];
    await stage.running(1);
    await stage.world.finish(stage.core.abort());
    assert.deepEqual(stage.state.survivors, [unsure]);
    assert.match(stage.step(1).text ?? '', /left alone: process 8 \(daemon\)/);
    assert.match(stage.state.receipts.at(-1)?.message ?? '', /left alone: process 8 \(daemon\)/);
  });

  it('of a frozen command is recorded where only its pid tells it, and ended at the next start', async () => {
    const stage = await Stage.open({ replies: [slow('a')] });
    stage.world.processes.looseOnes = [sure];
    await stage.running(1);
    await stage.world.finish(stage.core.pause());
    assert.deepEqual(stepOf(stage.state, stage.step(1).id)?.process?.loose, [sure]);
    const ended: ProcessId[] = [];
    const processes = {
      ...stage.world.processes,
      endFound: (id: ProcessId) => {
        ended.push(id);
        return Promise.resolve([]);
      },
    };
    const ports = { settings: { stopGraceMs: () => 0 }, processes, files: { sweepScraps: () => Promise.resolve() } };
    await settleAfterCrash(ports as unknown as Ports, stage.state);
    assert.deepEqual(
      ended.map((one) => one.pid),
      [7, stage.step(1).process?.id.pid],
    );
  });
});

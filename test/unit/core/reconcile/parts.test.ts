import assert from 'node:assert/strict';
import { carry, carrySlowly, markHuman, markHumanSlowly, type LineRange } from '../../../../src/core/reconcile/owned';

const text = (count: number, word = ''): string =>
  Array.from({ length: count }, (_, i) => `  const value${i} = ${i % 3 ? '' : word};\n`).join('');

describe('long texts are tracked in parts', function () {
  this.timeout(60_000);
  const owned: LineRange[] = [{ from: 40, to: 60 }];

  it('with the same result, and everybody else has their turn in between', async () => {
    let breaths = 0;
    const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(() => ((breaths += 1), resolve())));
    const [before, after] = [text(100_000), text(100_000, 'x')];
    assert.deepEqual(await carrySlowly(before, owned, after, breathe), carry(before, owned, after));
    assert.ok(breaths >= 12, `only ${breaths} breaths`);
    breaths = 0;
    assert.deepEqual(await markHumanSlowly(before, owned, after, breathe), markHuman(before, owned, after));
    assert.ok(breaths >= 12, `only ${breaths} breaths`);
  });

  it('short ones at once', async () => {
    const never = (): Promise<void> => assert.fail('it breathes');
    await markHumanSlowly(text(1000), owned, text(1000, 'x'), never);
  });
});

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { realFs } from '../../../src/node/fs';
import { checkSum, jsonPieces, openPieces, readLined } from '../../../src/node/store/jsonText';
import { eachLine } from '../../../src/node/store/lines';
import { useFolder } from './helpers';

describe('store: documents in lines', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const file = (): string => folder.at('document.json');
  const textOf = (value: object): string => Buffer.concat([...jsonPieces(value)]).toString();
  async function comesBack(value: object): Promise<void> {
    const text = textOf(value);
    writeFileSync(file(), text);
    const plain = JSON.parse(JSON.stringify(value)) as object;
    const { sum, ...parsed } = JSON.parse(text) as { sum: string };
    assert.match(sum, /^[0-9a-f]{64}$/);
    assert.deepEqual(parsed, plain, 'any reader of JSON');
    assert.equal(checkSum(text), 'good');
    assert.deepEqual(await readLined(realFs, file()), { value: plain, bytes: Buffer.byteLength(text) });
  }

  it('any document comes back, for any reader of JSON too', async () => {
    const key = fc.string().filter((one) => one !== 'sum' && one !== '__proto__');
    const member = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()));
    const document = fc.dictionary(key, member, { noNullPrototype: true });
    // a document that is nothing but its sum is left to the other reader
    const some = document.filter((one) => Object.keys(one).length > 0);
    await fc.assert(fc.asyncProperty(some, comesBack), { numRuns: 300 });
  });

  it('so does one of many megabytes, whatever stands in its texts', async () => {
    const odd = ['\n', '],\n', '"steps":[\n', ',"sum":"', '\\', 'é𝄞\u2028', '\ud800', '{}[]'];
    const element = (n: number): object => ({
      n,
      text: `${odd[n % odd.length]}${'x'.repeat(n % 3000)}`,
      list: [n, []],
    });
    const steps = Array.from({ length: 3000 }, (_, n) => element(n));
    await comesBack({ schemaVersion: 2, odd, steps, none: [], goal: odd.join(), one: [steps[7]], transcript: steps });
    const lines = readFileSync(file(), 'utf8').split('\n');
    assert.ok(lines.length > 50 && Math.max(...lines.map((line) => line.length)) < 300_000);
  });

  it('in one line, as it was written before, it is read too', async () => {
    const value = { schemaVersion: 2, steps: [1, 2, 3], goal: 'a [\n' };
    const body = [...openPieces(value)].join('');
    assert.ok(!body.includes('\n'));
    writeFileSync(file(), textOf(value).replaceAll('\n', ''));
    assert.equal(await readLined(realFs, file()), undefined, 'the sum is that of other bytes');
    const { createHash } = await import('node:crypto');
    writeFileSync(file(), `${body},"sum":"${createHash('sha256').update(body).digest('hex')}"}`);
    assert.deepEqual((await readLined(realFs, file()))?.value, value);
  });

  it('with any bit flipped, or cut off anywhere, it is not believed', async () => {
    const whole = Buffer.from(textOf({ schemaVersion: 2, steps: [{ n: 1 }, { n: 2 }], plan: [], notes: ['a', 'b'] }));
    for (let bit = 0; bit < whole.length * 8; bit += 3) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(file(), flipped);
      assert.equal(await readLined(realFs, file()), undefined, `bit ${bit}`);
    }
    for (let length = 0; length < whole.length; length += 1) {
      writeFileSync(file(), whole.subarray(0, length));
      assert.equal(await readLined(realFs, file()), undefined, `cut at ${length}`);
    }
    assert.equal(await readLined(realFs, folder.at('none')), undefined);
  });

  it('lines of any length come as they stand, the last one without its end', async () => {
    const sizes = [0, 1, 300_000, 5, 0, 262_143, 262_144, 262_145, 900_000, 3];
    const lines = sizes.map((size, n) => `${String.fromCharCode(97 + n).repeat(size)}\n`);
    for (const last of ['', 'the last']) {
      writeFileSync(file(), lines.join('') + last);
      const seen: string[] = [];
      assert.equal(await eachLine(realFs, file(), (line) => void seen.push(line.toString())), true);
      assert.deepEqual(seen, last === '' ? lines : [...lines, last]);
      const first: string[] = [];
      await eachLine(realFs, file(), (line) => first.push(line.toString()) === 2);
      assert.deepEqual(first, lines.slice(0, 2));
    }
    assert.equal(await eachLine(realFs, folder.at('none'), () => true), false);
  });
});

/** The faults on purpose (`npm run simulate -- --faults`) still fit the source: playing them is no part of the plain checks. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
// @ts-expect-error a script without types
import { faults as untyped } from '../../sim/faults.mjs';

const faults = untyped as { name: string; edits: [file: string, from: string, to: string][] }[];

describe('faults on purpose', () => {
  it('each stands where it is put in, exactly once', () => {
    assert.ok(faults.length >= 10);
    for (const { name, edits } of faults)
      for (const [file, from] of edits)
        assert.equal(readFileSync(file, 'utf8').split(from).length, 2, `"${name}" in ${file}: ${from}`);
  });
});

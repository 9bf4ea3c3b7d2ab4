import assert from 'node:assert/strict';
import test from 'node:test';
import { mix, parse } from '../src/colour.js';

test('reads the parts of a colour', () => {
  assert.deepEqual(parse('#ff8000'), [255, 128, 0]);
});

test('mixes two colours', () => {
  assert.equal(mix('#000000', '#ffffff'), '#808080');
});

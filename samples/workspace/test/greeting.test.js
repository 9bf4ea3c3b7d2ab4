import assert from 'node:assert/strict';
import test from 'node:test';
import { greet, words } from '../src/greeting.js';

test('greets in a language that it knows', () => {
  assert.equal(greet('Ada', 'de'), 'Hallo, Ada!');
});

test('greets in English when it does not know the language', () => {
  assert.equal(greet('Ada', 'xx'), `${words.en}, Ada!`);
});

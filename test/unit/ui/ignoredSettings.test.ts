import assert from 'node:assert/strict';
import { ignoredWords, settingsIn } from '../../../src/ui/render/ignoredSettings';

describe('settings that stand where they have no effect', () => {
  it('are found in the text, comments and values aside', () => {
    const text =
      '{ "holdfast.approvals": "auto",\n  // "holdfast.model": "x",\n  "a": "holdfast.limits",\n  "holdfast.commands.allow" : [] }';
    assert.deepEqual(settingsIn(text), ['holdfast.approvals', 'holdfast.commands.allow']);
    assert.deepEqual(settingsIn('not json'), []);
  });

  it('are named once each, with what to do', () => {
    assert.equal(ignoredWords([]), undefined);
    assert.match(
      ignoredWords(['holdfast.approvals', 'holdfast.approvals']) ?? '',
      /^holdfast\.approvals stands .* no effect/,
    );
    assert.match(ignoredWords(['holdfast.a', 'holdfast.b']) ?? '', /^holdfast\.a, holdfast\.b stand /);
  });
});

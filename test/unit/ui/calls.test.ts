import assert from 'node:assert/strict';
import type { Entry } from '../../../src/core/run/state';
import { textOf } from '../../../src/ui/documents/texts';
import { documentPath, namedBy } from '../../../src/ui/documents/names';
import { argumentLines, callWords, stepWords } from '../../../src/ui/render/call';
import { stepLinks } from '../../../src/ui/render/transcript';
import { clock, sizeWords } from '../../../src/ui/render/words';
import { planNode } from '../../../src/ui/tree/steps';
import { runState, step } from './states';

describe('calls', () => {
  it('are sentences, with all that a human decides by', () => {
    for (const [tool, args, words] of [
      ['run_command', { command: 'npm  test', cwd: 'docs' }, 'Run npm test (in docs)'],
      ['run_command', { command: 'ls', cwd: '.' }, 'Run ls'],
      ['delete_file', { path: 'a.ts' }, 'Delete a.ts'],
      ['move_file', { from: 'a', to: 'b' }, 'Move a to b'],
      ['edit_file', { path: 'a', old_text: 'x\ny', new_text: '' }, 'Edit a: “x y” becomes nothing'],
      ['write_file', { path: 'a', content: 'x\ny\n' }, 'Write a (2 lines, from “x”)'],
      ['mcp.shop.cancel', { order_id: 7, why: 'late' }, 'Call cancel of shop (order id: 7, why: “late”)'],
      ['mcp.shop.list', {}, 'Call list of shop'],
    ] as const)
      assert.equal(callWords(tool, args, 300, true), words);
  });

  it('on secret-looking files quote nothing of them, by the defaults and by the settings, in no document', () => {
    const steps = [
      step(1, { tool: 'write_file', args: { path: '.env', content: 'TOKEN=abc' }, title: 'A secret' }),
      step(2, { tool: 'edit_file', args: { path: './mine/x', old_text: 'abc1', new_text: 'abc2' } }),
      step(3, { tool: 'mcp.disk.put', args: { path: 'a/.env', content: 'abc3', mode: 7 } }),
      step(4, { tool: 'write_file', badArgs: '{"path": ".env", "content": "abc4' }),
      step(5, { tool: 'write_file', args: { path: 'plain', content: 'xyz' } }),
    ];
    const entry = { kind: 'assistant', at: 1, text: '', stepIds: steps.map(({ id }) => id) } as const;
    const state = runState({ steps, transcript: [entry as unknown as Entry] });
    const open = textOf('Transcript', state, '') ?? '';
    assert.match(open, /abc1/, 'no setting names it yet');
    const text = textOf('Transcript', state, '', ['mine/**']) ?? '';
    assert.doesNotMatch(text, /abc/);
    assert.match(text, /→ 1\. A secret: Write \.env\n/);
    assert.match(text, /→ 3\. .*Call put of disk \(path: “a\/\.env”, mode: 7\)/);
    assert.match(text, /Write plain \(1 line, from “xyz”\)/);
    for (const n of [1, 2, 3, 4]) assert.doesNotMatch(textOf(`Step ${n}`, state, '', ['mine/**']) ?? '', /abc/);
    // Where nobody took it out, no text of any file is quoted.
    assert.equal(callWords('write_file', { path: 'a', content: 'abc' }), 'Write a');
    assert.doesNotMatch(JSON.stringify(planNode(state)), /abc/);
  });

  it('stand in the transcript below their title, and lead to their step', () => {
    const run = { tool: 'run_command', args: { command: 'npm test' } };
    assert.equal(stepWords(step(1, { ...run, title: 'Run npm test' })), 'Run npm test');
    assert.equal(stepWords(step(1, { ...run, title: 'See if it works' })), 'See if it works: Run npm test');
    const text = '# Transcript\n\n  → 1. Run npm test\n  → 9. Unknown\n    → 1. in a result\n';
    const links = stepLinks(text, [step(1)]);
    assert.deepEqual(
      links.map(({ start, end, target }) => [text.slice(start, end), target]),
      [['1', { to: 'step', n: 1 }]],
    );
  });

  it('have their arguments one a line, longer texts below their name', () => {
    assert.equal(
      argumentLines({ path: 'a', old_text: 'x\ny\n', deep: [1] }),
      'Path: a\nOld text:\n    x\n    y\nDeep:\n    [\n      1\n    ]',
    );
    assert.equal(argumentLines(undefined), 'Without arguments.');
  });
});

describe('documents of runs', () => {
  const of = { runId: 'run1', goal: 'Fix a/b and also say why it was broken', createdAt: 0 };

  it('are named by kind, goal and start, and known again by that', () => {
    const path = documentPath('Step 3', of);
    assert.equal(path, `/run1/Step 3 · Fix a-b and also say …, ${clock(0)}`);
    assert.deepEqual(namedBy(path), { runId: 'run1', name: 'Step 3' });
    assert.notEqual(path, documentPath('Step 3', { ...of, createdAt: 1000 }));
    assert.equal(namedBy('/run1'), undefined);
  });

  it('say sizes as people do', () => {
    assert.deepEqual([0, 1, 20_000, 3_000_000, 3e7].map(sizeWords), ['0 KB', '1 KB', '20 KB', '2.9 MB', '29 MB']);
  });
});

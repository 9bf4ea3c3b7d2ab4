import assert from 'node:assert/strict';
import { documentPath, namedBy } from '../../../src/ui/documents/names';
import { argumentLines, callWords, stepWords } from '../../../src/ui/render/call';
import { stepLinks } from '../../../src/ui/render/transcript';
import { clock, sizeWords } from '../../../src/ui/render/words';
import { step } from './states';

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
      assert.equal(callWords(tool, args), words);
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

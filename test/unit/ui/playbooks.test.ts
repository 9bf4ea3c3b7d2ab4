import assert from 'node:assert/strict';
import { toolArguments } from '../../../src/core/tools';
import { parsePlaybook } from '../../../src/models';
import { EXAMPLE } from '../../../src/ui/playbooks/example';
import { onlyOurs } from '../../../src/ui/playbooks/parser';

describe('playbooks in the editor', () => {
  it('begin with an example that is one, and that lets the human have a turn', () => {
    const parsed = parsePlaybook(EXAMPLE, 'yaml', toolArguments());
    assert.ok('playbook' in parsed, JSON.stringify(parsed));
    const [, write, edit] = parsed.playbook.steps;
    assert.equal(edit?.pauseBefore, true);
    const [content, old] = [write?.with['content'], edit?.with['old_text']];
    assert.ok(typeof content === 'string' && typeof old === 'string');
    assert.equal(content.split(old).length, 2, 'the edit of the example fits once');
  });

  it('are not complained about twice on one line', () => {
    const problem = (line: number) => ({ message: 'x', line, column: 1, endLine: line, endColumn: 2 });
    assert.deepEqual(onlyOurs([problem(1), problem(4)], [4, 9]), [problem(1)]);
  });

  it('name the arguments where one is missing', () => {
    const source = 'goal: g\nsteps:\n  - tool: edit_file\n    with: { path: a, old_text: b }\n';
    const parsed = parsePlaybook(source, 'yaml', toolArguments());
    assert.ok('problems' in parsed);
    const [{ line, column, endColumn } = { line: 0, column: 0, endColumn: 0 }] = parsed.problems;
    assert.deepEqual([line, column, endColumn], [4, 5, 9], 'the word `with`');
  });
});

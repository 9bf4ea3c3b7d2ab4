import assert from 'node:assert/strict';
import { guardTargets } from '../../../src/ui/render/guardTargets';
import { runState, step } from './states';

describe('what a guard on steps can be set on', () => {
  it('is each step that is known to come, by its number, then every tool, those that change something first', () => {
    const s = runState({
      outline: ['Read', 'Write it', 'Test $(now)'],
      steps: [step(1), step(2, { outcome: 'notStarted', title: 'Write it' })],
    });
    const targets = guardTargets(s);
    assert.deepEqual(
      targets.slice(0, 2).map(({ label, value }) => [label, value]),
      [
        ['2. Write it', 'step 2'],
        ['3. Test \\$(now)', 'step 3'],
      ],
    );
    const tools = targets.slice(2).map(({ value }) => value);
    assert.deepEqual(tools.slice(0, 5), ['write_file', 'edit_file', 'delete_file', 'move_file', 'run_command']);
    assert.ok(tools.includes('read_file') && new Set(tools).size === tools.length, tools.join());
  });

  it('of a model’s run is what its reply still holds, and the tools of servers it has used', () => {
    const s = runState({
      steps: [step(1, { tool: 'mcp.tickets.close' }), step(2, { outcome: 'cancelledBeforeEffect' })],
    });
    const [first] = guardTargets(s);
    assert.equal(first?.value, 'write_file');
    assert.ok(guardTargets(s).some(({ value }) => value === 'mcp.tickets.close'));
  });
});

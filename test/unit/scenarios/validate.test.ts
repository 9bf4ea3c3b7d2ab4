import assert from 'node:assert/strict';
import { ScenarioError, parseScenario } from '../../scenarios/validate';

const good = {
  id: 'X-1',
  title: 'A title',
  kind: 'a kind',
  setup: { files: { 'a.txt': 'a\n' } },
  run: { goal: 'Do it', model: [{ text: 'Done.' }] },
  script: [{ start: {} }, { until: { status: 'completed' } }],
  expect: { status: 'completed' },
};

const problems = (changes: object): string[] => {
  try {
    parseScenario(JSON.stringify({ ...good, ...changes }), 'x.json');
    return [];
  } catch (error) {
    assert.ok(error instanceof ScenarioError);
    assert.match(error.message, /^x\.json: /);
    return error.problems;
  }
};
const inScript = (action: object): string[] => problems({ script: [{ start: { as: 'A' } }, action] });

describe('scenario validator', () => {
  it('accepts a sound scenario', () => assert.deepEqual(problems({}), []));

  it('names an unknown key wherever it stands', () => {
    const places: [object, RegExp][] = [
      [{ surprise: 1 }, /unknown key "surprise" in the scenario/],
      [{ setup: { files: {}, colour: 1 } }, /unknown key "colour" in setup/],
      [{ setup: { files: { a: { text: 'x', owner: 'me' } } } }, /unknown key "owner" in setup\.files\["a"\]/],
      [{ run: { model: [{ speech: 'x' }] } }, /unknown key "speech" in run\.model\[0\]/],
      [{ expect: { state: 'completed' } }, /unknown key "state" in expect/],
      [{ expect: { requests: { last: { has: ['x'] } } } }, /unknown key "has" in expect\.requests\.last/],
      [{ expect: { steps: [{ outcome: 'done', why: 'x' }] } }, /unknown key "why" in expect\.steps\[0\]/],
    ];
    for (const [changes, message] of places) assert.match(problems(changes).join('\n'), message);
  });

  it('names an unknown action, and refuses none or two', () => {
    assert.match(inScript({ jump: {} }).join('\n'), /unknown action "jump" in script\[1\]/);
    assert.match(inScript({ noWait: true }).join('\n'), /exactly one action, not none/);
    assert.match(inScript({ pause: {}, abort: {} }).join('\n'), /exactly one action, not pause, abort/);
  });

  it('names an unknown key of an action', () => {
    assert.match(inScript({ pause: { hard: true } }).join('\n'), /unknown key "hard" in script\[1\]\.pause/);
    assert.match(inScript({ human: { sing: 'x' } }).join('\n'), /unknown key "sing" in script\[1\]\.human/);
    assert.match(inScript({ until: { moon: 'full' } }).join('\n'), /unknown key "moon" in script\[1\]\.until/);
    assert.match(inScript({ until: {} }).join('\n'), /names no condition/);
    assert.match(inScript({ sleep: '3' }).join('\n'), /script\[1\]\.sleep must be a whole number/);
    assert.match(inScript({ hold: 'tool:atNoon' }).join('\n'), /must be "model:streaming" or/);
    assert.match(inScript({ until: { status: 'finished' } }).join('\n'), /until\.status must be "running" or/);
  });

  it('takes __proto__ as a file name, and not as a key of the format', () => {
    const source = JSON.stringify(good).replace('"a.txt":"a\\n"', '"__proto__":"p\\n"');
    const scenario = parseScenario(source, 'x.json');
    assert.deepEqual(Object.entries(scenario.setup.files), [['__proto__', 'p\n']]);
    const unknown = JSON.stringify(good).replace('"goal":', '"__proto__":{},"goal":');
    assert.throws(() => parseScenario(unknown, 'x.json'), /unknown key "__proto__" in run/);
  });

  it('takes oneOf where a status, an outcome or a file check stands', () => {
    const either = { oneOf: ['paused', 'completed'] };
    assert.deepEqual(
      problems({ expect: { status: either, files: { a: { oneOf: [null, 'x', { same: true }] } } } }),
      [],
    );
    assert.deepEqual(problems({ expect: { steps: [{ outcome: { oneOf: ['done', 'unknown'] } }] } }), []);
    assert.match(problems({ expect: { status: { oneOf: [] } } }).join('\n'), /oneOf is empty/);
    assert.match(problems({ expect: { status: { oneOf: ['nearly'] } } }).join('\n'), /oneOf\[0\] must be/);
  });

  it('takes the additions: several runs, repeats, messages, storage', () => {
    const scenario = {
      setup: {
        files: {},
        storage: { 'runs.json': '{}' },
        trusted: false,
        noFolder: true,
        mcp: { pay: { effect: 'x' } },
      },
      run: { goal: 'x', model: [{ status: 500, body: { error: 'x' }, repeat: 3 }] },
      script: [{ start: { as: 'B' } }, { pause: {}, run: 'B' }],
      expect: { runs: { B: 'paused' }, receipts: [{ intent: 'pause', message: 'Paused' }] },
    };
    assert.deepEqual(problems(scenario), []);
    assert.match(problems({ ...scenario, expect: { runs: { C: 'paused' } } }).join('\n'), /no run was started as "C"/);
    assert.match(problems({ ...scenario, script: [{ pause: {}, run: 'B' }] }).join('\n'), /no run was started as "B"/);
  });

  it('refuses what cannot be meant', () => {
    assert.match(problems({ run: { model: [], playbook: {} } }).join('\n'), /both a model and a playbook/);
    assert.match(problems({ expect: { settledWithinMs: { 2: 100 } } }).join('\n'), /there is no action 2/);
    assert.match(problems({ setup: { files: { '/etc/x': 'x' } } }).join('\n'), /relative path/);
    assert.match(problems({ title: undefined }).join('\n'), /lacks "title"/);
    assert.throws(() => parseScenario('{', 'x.json'), /x\.json: no JSON/);
  });
});

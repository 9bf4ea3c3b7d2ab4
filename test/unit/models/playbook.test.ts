import assert from 'node:assert/strict';
import Ajv from 'ajv';
import { stringify } from 'yaml';
import schema from '../../../schemas/playbook.schema.json';
import { toolArguments } from '../../../src/core/tools';
import { createModels, parsePlaybook, type PlaybookProblem } from '../../../src/models';
import { PlaybookModel } from '../../../src/models/playbook/model';
import { ask, request } from './wire';
import { INVALID, VALID } from './playbookSamples';
import { processorMs } from '../pace';

const TOOLS = toolArguments();

function problems(source: string, format: 'json' | 'yaml' = 'yaml'): PlaybookProblem[] {
  const parsed = parsePlaybook(source, format, TOOLS);
  return 'problems' in parsed ? parsed.problems : [];
}

/** The one problem, as `line:column-endLine:endColumn message`. */
function only(source: string, format: 'json' | 'yaml' = 'yaml'): string {
  const [first, ...more] = problems(source, format);
  assert.ok(first && more.length === 0, JSON.stringify([first, ...more]));
  return `${first.line}:${first.column}-${first.endLine}:${first.endColumn} ${first.message}`;
}

describe('parsePlaybook', () => {
  it('reads the example of the surface, with titles made where none is given', () => {
    const source = `goal: Rename getUser to fetchUser
steps:
  - title: Find the call sites
    tool: search_text
    with: { query: getUser }
  - tool: edit_file
    with: { path: src/api.ts, old_text: getUser, new_text: fetchUser, all: true }
    onConflict: ask            # ask | skip | stop
    pauseBefore: true
    delay_s: 2
  - title: Run the tests
    tool: run_command
    with: { command: npm test }
    undo: { tool: run_command, with: { command: npm run clean } }
`;
    assert.deepEqual(parsePlaybook(source, 'yaml', TOOLS), {
      playbook: {
        goal: 'Rename getUser to fetchUser',
        steps: [
          { title: 'Find the call sites', tool: 'search_text', with: { query: 'getUser' } },
          {
            title: 'Edit src/api.ts',
            tool: 'edit_file',
            with: { path: 'src/api.ts', old_text: 'getUser', new_text: 'fetchUser', all: true },
            onConflict: 'ask',
            pauseBefore: true,
            delay_s: 2,
          },
          {
            title: 'Run the tests',
            tool: 'run_command',
            with: { command: 'npm test' },
            undo: { tool: 'run_command', with: { command: 'npm run clean' } },
          },
        ],
      },
    });
  });

  it('keeps texts as they are: escapes, tabs, line ends, odd keys, a byte order mark before', () => {
    const content = 'a\tb\r\n"ü" 😀 \u2028 \\';
    const source = `\uFEFF{\r\n\t"goal": "g",\r\n\t"steps": [{"tool": "write_file", "with": {"path": "__proto__", "content": ${JSON.stringify(content)}}}]\r\n}\r\n`;
    const parsed = parsePlaybook(source, 'json', TOOLS);
    assert.ok('playbook' in parsed, JSON.stringify(parsed));
    assert.deepEqual(parsed.playbook.steps[0]?.with, { path: '__proto__', content });
    const odd = parsePlaybook('{"goal":"g","steps":[{"tool":"mcp.a.b","with":{"__proto__":"x"}}]}', 'json', TOOLS);
    assert.ok('playbook' in odd);
    assert.equal(JSON.stringify(odd.playbook.steps[0]?.with), '{"__proto__":"x"}');
  });

  it('says what to do, and where', () => {
    const one = (lines: string): string => `goal: g\nsteps:\n  - title: Rename in the API\n${lines}`;
    assert.equal(
      only(one('    tool: edit_file\n    with: { path: a, new_text: b }\n')),
      '5:5-5:9 Step 1 ("Rename in the API"): `edit_file` needs `old_text`.',
    );
    assert.equal(
      only(one('    tool: edit_fle\n    with: { path: a }\n')),
      '4:11-4:19 Step 1 ("Rename in the API"): there is no tool `edit_fle`; did you mean `edit_file`?',
    );
    assert.match(
      only(one('    tool: teleport\n')),
      /^4:11-4:19 .* no tool `teleport`; use one of read_file, list_files, /,
    );
    assert.equal(
      only(one('    tool: delete_file\n    with:\n      path: 123\n')),
      '6:13-6:16 Step 1 ("Rename in the API"): `path` must be text: put it in quotes.',
    );
    assert.equal(
      only(one('    tool: read_file\n    with: { path: a, form_line: 1 }\n')),
      '5:22-5:31 Step 1 ("Rename in the API"): `read_file` has no `form_line`; did you mean `from_line`?',
    );
    assert.equal(
      only(one('    tool: finish\n    delay_s: -1\n')),
      '5:14-5:16 Step 1 ("Rename in the API"): `delay_s` must be a number of seconds from 0 to 86400.',
    );
    assert.equal(
      only(one('    tool: finish\n    onConflict: merge\n')),
      '5:17-5:22 Step 1 ("Rename in the API"): `onConflict` must be ask, skip or stop.',
    );
    assert.match(
      only(one('    tool: finish\n    undo: { tool: run_command }\n')),
      /^5:19-5:30 .*, undo: `run_command` needs `command`\.$/,
    );
    assert.equal(only('goal: g\nsteps: []\n'), '2:8-2:10 Add at least one step to `steps`.');
    assert.equal(only('goal: g\nsteps: 7\n'), '2:8-2:9 `steps` must be a list.');
    assert.equal(only('steps: [{ tool: finish }]\n'), '1:1-1:6 Add a `goal`: what the run is for, in one line.');
    assert.equal(
      only('goal: g\ngoal: h\nsteps: [{ tool: finish }]\n'),
      '2:1-2:5 The playbook has `goal` twice: keep one.',
    );
    assert.match(only('', 'yaml'), /^1:1-1:1 The playbook is empty/);
  });

  it('says everything at once, in the order of the file', () => {
    const found = problems('goal: g\nsteps:\n  - tool: nope\n  - tool: read_file\n  - 7\nextra: 1\n');
    assert.deepEqual(
      found.map((problem) => problem.line),
      [3, 4, 5, 6],
    );
  });

  it('refuses what is no JSON in a JSON file, with the place', () => {
    assert.match(
      only('{\n  "goal": "g", // why\n  "steps": [{"tool": "finish"}]\n}', 'json'),
      /^2:16-.* Remove the comment/,
    );
    assert.match(only('{\n  "goal": "g",\n  "steps": [{"tool": "finish"}],\n}', 'json'), /^4:1-/);
    assert.match(only("{'goal': 1}", 'json'), /^1:2-/);
    assert.match(only('goal: g\nsteps: []', 'json'), /^1:1-/);
    assert.match(only('{"goal":"a\nb","steps":[]}', 'json'), /^1:9-/);
    assert.match(only('{"goal":"g","goal":"h","steps":[{"tool":"finish"}]}', 'json'), /twice/);
    assert.match(only('', 'json'), /^1:1-/);
    assert.match(only('{"goal":"g","steps":[{"tool":"finish"}]} x', 'json'), /^1:42-/);
  });

  it('refuses what YAML can do and a playbook must not', () => {
    assert.match(only('goal: "g\nsteps: []\n'), /^\d+:\d+-/);
    assert.match(only('goal: g\nsteps:\n\t- tool: finish\n'), /^3:1-/);
    assert.match(only('goal: g\nsteps: [{ tool: finish }]\n---\ngoal: h\n'), /one playbook/);
    assert.match(only('goal: !js g\nsteps: [{ tool: finish }]\n'), /^1:\d+-/);
    assert.match(only('goal: g\nsteps: [{ tool: read_file, with: { path: a, from_line: .inf } }]\n'), /^2:\d+-/);
    assert.match(problems('goal: g\nsteps:\n  - &s { tool: finish }\n  - <<: *s\n')[0]?.message ?? '', /has no `<<`/);
    const shared = parsePlaybook('goal: g\nsteps:\n  - &s { tool: finish }\n  - *s\n', 'yaml', TOOLS);
    assert.ok('playbook' in shared && shared.playbook.steps.length === 2);
  });

  it('is bounded in time and depth, whatever the source', function () {
    this.timeout(60_000);
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghij'
        .split('')
        .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]`),
    ];
    const sources: [string, 'json' | 'yaml'][] = [
      [`${bomb.join('\n')}\ngoal: g\nsteps: *j\n`, 'yaml'],
      ['goal: g\nsteps: &s [*s]\n', 'yaml'],
      ['['.repeat(400_000), 'json'],
      ['['.repeat(20_000), 'yaml'],
      ['{"a":'.repeat(100_000), 'json'],
      [`{"goal":"g","steps":[${'1,'.repeat(400_000)}1]}`, 'json'],
      [' '.repeat(1_000_001), 'json'],
      ['- '.repeat(400_000), 'yaml'],
      ['{a: '.repeat(200_000), 'yaml'],
      ['- a\n'.repeat(200_000), 'yaml'],
      ['&a '.repeat(300_000), 'yaml'],
      ['"'.repeat(900_000), 'yaml'],
      [`goal: g\nsteps:\n  - &a { tool: finish }\n${'  - *a\n'.repeat(5_000)}`, 'yaml'],
    ];
    for (const [source, format] of sources) {
      const { result: found, ms: took } = processorMs(() => problems(source, format));
      assert.ok(found.length > 0 && found.length <= 100);
      assert.ok(took < 10_000, `${source.slice(0, 20)}… took ${took} ms`);
    }
  });
});

describe('schema and parser', () => {
  // Names the editor shows, and hints for it, are not draft-07: the validator is told to let them be.
  const validate = new Ajv({ unknownFormats: 'ignore', logger: false }).compile(schema);

  it('judge every sample alike, in both formats', () => {
    for (const [samples, wanted] of [
      [VALID, true],
      [INVALID, false],
    ] as const) {
      for (const sample of samples) {
        const json = JSON.stringify(sample, null, 2);
        assert.equal(validate(sample), wanted, `schema: ${json} ${JSON.stringify(validate.errors)}`);
        assert.equal(
          problems(json, 'json').length === 0,
          wanted,
          `json: ${json} ${JSON.stringify(problems(json, 'json'))}`,
        );
        assert.equal(problems(stringify(sample), 'yaml').length === 0, wanted, `yaml: ${stringify(sample)}`);
      }
    }
  });

  it('know the same tools with the same arguments', () => {
    const branches = schema.definitions.arguments.allOf.map((branch) => {
      const args = branch.then.properties.with as { required?: string[]; properties: object };
      const required = args.required ?? [];
      const optional = Object.keys(args.properties).filter((key) => !required.includes(key));
      return [branch.if.properties.tool.const, { required, optional }] as const;
    });
    const sorted = (list: readonly string[]): string[] => [...list].sort();
    assert.deepEqual(sorted(branches.map(([tool]) => tool)), sorted(Object.keys(TOOLS)));
    assert.deepEqual(sorted(schema.definitions.tool.anyOf[0]?.enum ?? []), sorted(Object.keys(TOOLS)));
    for (const [tool, args] of branches) {
      assert.deepEqual(sorted(args.required), sorted(TOOLS[tool]?.required ?? []), tool);
      assert.deepEqual(sorted(args.optional), sorted(TOOLS[tool]?.optional ?? []), tool);
    }
    const listed = schema.definitions.tool.anyOf[0];
    assert.equal(listed?.enum?.length, listed?.enumDescriptions?.length);
  });
});

describe('PlaybookModel', () => {
  const source = JSON.stringify({
    goal: 'g',
    steps: [
      {
        title: 'one',
        tool: 'edit_file',
        with: { path: 'a', old_text: 'x', new_text: 'y' },
        delay_s: 0.25,
        pauseBefore: true,
        onConflict: 'stop',
        undo: { tool: 'delete_file', with: { path: 'b' } },
      },
      { tool: 'move_file', with: { from: 'c', to: 'd' } },
      { tool: 'list_files', with: { path: 'src' } },
      { tool: 'read_file', with: { path: 'a' } },
    ],
  });
  const models = createModels({
    openai: { baseUrl: () => undefined, modelId: () => undefined, key: () => Promise.resolve(undefined) },
    defaultProvider: () => undefined,
    tools: TOOLS,
  });

  it('gives step k as reply k, and ends in words', async () => {
    const model = await models.open({ kind: 'playbook', label: 'x.playbook.json', source, format: 'json' });
    assert.ok(model instanceof PlaybookModel);
    assert.deepEqual(model.info, {
      provider: 'playbook',
      label: 'x.playbook.json',
      goal: 'g',
      fixed: true,
      files: ['a', 'c'],
      outline: ['one', 'Move c to d', 'List src', 'Read a'],
    });
    assert.deepEqual((await ask(model, request([], 0))).events, [
      {
        type: 'end',
        calls: [
          {
            tool: 'edit_file',
            argsText: '{"path":"a","old_text":"x","new_text":"y"}',
            title: 'one',
            delayMs: 250,
            pauseBefore: true,
            onConflict: 'stop',
            undo: { tool: 'delete_file', args: { path: 'b' } },
          },
        ],
      },
    ]);
    assert.deepEqual((await ask(model, request([], 1))).last, {
      type: 'end',
      calls: [{ tool: 'move_file', argsText: '{"from":"c","to":"d"}', title: 'Move c to d' }],
    });
    const end = await ask(model, request([], 4));
    assert.equal(end.text, 'All steps of the playbook are done.');
    assert.deepEqual(end.last, { type: 'end', calls: [] });
    const control = new AbortController();
    control.abort();
    assert.deepEqual((await ask(model, request([], 0), control.signal)).events, []);
  });

  it('a bad file is refused with its place', async () => {
    const opened = await models.open({
      kind: 'playbook',
      label: 'x.playbook.yaml',
      source: 'goal: g\nsteps:\n  - tool: read_file\n',
      format: 'yaml',
    });
    assert.deepEqual(opened, {
      error: { code: 'badPlaybook', message: 'x.playbook.yaml, line 3, column 11: Step 1: `read_file` needs `path`.' },
    });
  });
});

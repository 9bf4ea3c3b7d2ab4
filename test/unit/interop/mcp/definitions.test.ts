/** Which servers there are, which may be used, and how their tools stand to a stop. */
import assert from 'node:assert/strict';
import { resultText } from '../../../../src/interop/mcp/content';
import { filled } from '../../../../src/core/filled';
import { contractFor, overrideOf } from '../../../../src/interop/mcp/contract';
import { definitions, workspaceDefinitions } from '../../../../src/interop/mcp/definitions';
import { McpStage, never } from './stage';

const variables = { folder: '/w', env: { TOKEN: 't' } };

describe('definitions of MCP servers', () => {
  it('takes programs and addresses, with variables', () => {
    const { servers, unusable } = definitions(
      {
        a: { command: 'npx', args: ['-y', '${workspaceFolder}/x'], env: { N: 1 } },
        b: { url: 'https://host/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' }, timeout_s: 5 },
      },
      'settings',
      variables,
    );
    assert.deepEqual(unusable, []);
    assert.deepEqual(servers, [
      {
        name: 'a',
        from: 'settings',
        timeoutMs: 600_000,
        how: { kind: 'stdio', command: 'npx', args: ['-y', '/w/x'], env: { N: '1' } },
      },
      {
        name: 'b',
        from: 'settings',
        timeoutMs: 5000,
        how: { kind: 'http', url: 'https://host/mcp', headers: { Authorization: 'Bearer t' } },
      },
    ]);
  });

  it('says what is wrong with the others', () => {
    const entries = {
      'with.dot': { command: 'x' },
      none: {},
      sse: { type: 'sse', url: 'http://h/' },
      file: { url: 'file:///etc/passwd' },
      input: { command: '${input:key}' },
      envFile: { command: 'x', envFile: '.env' },
    };
    const { servers, unusable } = definitions(entries, 'settings', variables);
    assert.deepEqual(servers, []);
    assert.deepEqual(
      unusable.map(({ name }) => name),
      Object.keys(entries),
    );
  });

  it('a workspace cannot send away what the environment holds', () => {
    const text = '{ // comment\n "servers": { "s": { "url": "http://h/?${env:TOKEN}" } } }';
    const { servers, unusable } = workspaceDefinitions(text, { folder: '/w' });
    assert.deepEqual(servers, []);
    assert.match(unusable[0]?.why ?? '', /not supported/);
    assert.match(workspaceDefinitions('{', { folder: '/w' }).unusable[0]?.why ?? '', /no valid JSON/);
  });

  it('uses a server of the workspace only after a yes, and asks again when its definition changed', async () => {
    const yes = new Map<string, string>();
    const file = (arg: string): string => JSON.stringify({ servers: { ours: { command: 'true', args: [arg] } } });
    const allowed = (name: string, fingerprint: string): boolean => yes.get(name) === fingerprint;
    const stage = new McpStage({ servers: {}, workspaceFile: file('1'), allowed });
    const session = await stage.open();
    assert.deepEqual(stage.asked, ['ours: true 1']);
    assert.deepEqual(stage.started, []);
    const [listed] = await stage.servers.list();
    assert.equal(listed?.status, 'notAllowed');
    yes.set('ours', listed.fingerprint ?? '');
    await session.ready(never());
    assert.ok(stage.started.length > 0);
    await stage.close();
    const changed = new McpStage({ servers: {}, workspaceFile: file('2'), allowed });
    await changed.open();
    assert.deepEqual(changed.asked, ['ours: true 2']);
    assert.deepEqual(changed.started, []);
    await changed.close();
  });
});

describe('contracts of MCP tools', () => {
  const careful = { effect: 'external', cancel: 'verify', retry: 'unsafe', phase: 'callingExternal' };

  it('by annotations, where the human named the server', () => {
    assert.deepEqual(contractFor({}, true, {}), careful);
    assert.deepEqual(contractFor({ idempotentHint: true }, true, {}), { ...careful, retry: 'safe' });
    const harmless = { ...careful, effect: 'none', cancel: 'now', retry: 'safe' };
    assert.deepEqual(contractFor({ readOnlyHint: true }, true, {}), harmless);
    assert.deepEqual(contractFor({ readOnlyHint: true, idempotentHint: true }, false, {}), careful);
  });

  it('the settings say otherwise, the nearest entry wins, and what is not understood widens nothing', () => {
    const setting = {
      's/*': { effect: 'none' },
      's/write': { effect: 'external', cancel: 'never', verify: { tool: 'look', committed: 'x' } },
      's/odd': { effect: 'nothing', cancel: 1 },
    };
    const of = (tool: string) => contractFor({}, false, overrideOf(setting, 's', tool));
    assert.equal(of('any').effect, 'none');
    assert.equal(of('any').cancel, 'now');
    assert.deepEqual(of('write'), { ...careful, cancel: 'never', verifiable: true });
    assert.deepEqual(contractFor({}, true, overrideOf({ 's/odd': setting['s/odd'] }, 's', 'odd')), careful);
    assert.deepEqual(contractFor({ readOnlyHint: true }, true, { effect: 'external' }), careful);
  });

  it('fills in the arguments of the call', () => {
    assert.deepEqual(filled({ q: ['is:${id}', '${no}'] }, { id: 7 }), { q: ['is:7', '${no}'] });
    assert.equal(filled('${__proto__}', {}), '${__proto__}');
  });
});

describe('results of MCP tools', () => {
  it('are text, and say what is not shown', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'x:1', text: 'r' } },
    ];
    assert.equal(resultText({ content }), 'a\n[image, image/png, 3 bytes: not shown]\n[resource x:1]\nr');
    assert.equal(resultText({ structuredContent: { n: 1 } }), '{\n  "n": 1\n}');
    assert.equal(resultText({}), '(no output)');
    assert.ok(resultText({ content: [{ type: 'text', text: 'x'.repeat(300_000) }] }).length < 101_000);
  });
});

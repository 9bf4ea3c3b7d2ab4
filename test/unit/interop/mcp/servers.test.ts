/** The MCP client against a server that behaves badly: stop, then use the same connection. */
import assert from 'node:assert/strict';
import { alive, McpStage, never, type StageOptions, until } from './stage';

describe('MCP servers that behave badly', function () {
  this.timeout(30_000);
  let stage: McpStage;
  const open = async (options: StageOptions = {}): Promise<void> => {
    stage = new McpStage(options);
    await stage.open();
  };
  afterEach(async () => {
    assert.deepEqual(await stage.close(), []);
    assert.deepEqual(alive(stage.runId), []);
  });
  const echo = async (): Promise<void> => {
    assert.deepEqual(await stage.call('mcp.badly.echo', { text: 'still here' }, { callId: 's9' }), {
      kind: 'answered',
      isError: false,
      text: 'still here',
    });
  };
  const sameProcess = (): void => assert.equal(stage.started.length, 1);

  it('tells tools with their contracts, by annotations', async () => {
    await open();
    const tools = new Map(stage.session.tools().map((tool) => [tool.name, tool]));
    assert.equal(tools.get('mcp.badly.echo')?.contract.effect, 'none');
    const never = tools.get('mcp.badly.never');
    assert.deepEqual(never?.contract, {
      effect: 'external',
      cancel: 'verify',
      retry: 'unsafe',
      phase: 'callingExternal',
    });
    assert.match(never.description, /Effect: may change another system\. Cancel: a stop cuts it/);
  });

  it('does not answer what it does not know: taken for one of 2025', async () => {
    await open({ env: { ...process.env, SILENT: '1' } });
    await echo();
    sameProcess();
  });

  it('ends when it is asked what it does not know: started again, and not asked', async () => {
    await open({ env: { ...process.env, TOUCHY: '1' } });
    await echo();
    assert.equal(stage.started.length, 2);
    assert.equal(stage.ended.length, 1);
  });

  it('never answers: a stop settles at once, the cancel is sent, the connection stays', async () => {
    await open();
    const { end, atOnce } = await stage.cut('mcp.badly.never');
    assert.equal(end.kind, 'cut');
    assert.ok(atOnce);
    await until('the cancel arrives', () => stage.heard().some((line) => line.startsWith('notifications/cancelled')));
    await echo();
    sameProcess();
  });

  it('answers late: dropped without harm, before and after the next call', async () => {
    await open();
    await stage.cut('mcp.badly.late', { ms: 1000, text: 'x' });
    await echo();
    await until('the late answer', () => stage.late.length > 0);
    assert.equal(stage.effects(), 'x\n');
    await echo();
    sameProcess();
    // What came late is evidence all the same.
    assert.deepEqual(await stage.verify('mcp.badly.late'), {
      verdict: 'happened',
      proof: 'The server answered after the stop: late: x',
    });
    assert.deepEqual(
      stage.late.map(({ callId, isError, text }) => [callId, isError, text]),
      [['s1', false, 'late: x']],
    );
  });

  it('answers with an error, of its own or of the protocol', async () => {
    await open();
    const text = 'the disk is on fire';
    assert.deepEqual(await stage.call('mcp.badly.fail'), { kind: 'answered', isError: true, text });
    const refused = await stage.call('mcp.badly.refuse');
    assert.equal(refused.kind, 'refused');
    assert.match(refused.text, /no such argument/);
    await echo();
    sameProcess();
  });

  it('answers in a form that is none: an error, and no waiting for the time limit', async () => {
    await open();
    const { kind, text } = await stage.call('mcp.badly.nothing');
    assert.equal(kind, 'answered');
    assert.match(text, /not of the form that the protocol wants: .*"result":null/);
    await echo();
    sameProcess();
  });

  it('ignores the cancel and goes on: ended after the grace, started again by the next call', async () => {
    await open();
    await stage.cut('mcp.badly.stubborn', { text: 'more' });
    await until('it is ended', () => stage.ended.length === 1);
    assert.deepEqual(stage.ended[0]?.survivors, []);
    assert.deepEqual(alive(stage.runId), []);
    const after = stage.effects();
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal(stage.effects(), after);
    await stage.session.ready(never());
    await echo();
    assert.equal(stage.started.length, 2);
  });

  it('does not even say that it lives: ended after the grace', async () => {
    await open();
    await stage.cut('mcp.badly.block');
    await until('it is ended', () => stage.ended.length === 1);
    assert.deepEqual(alive(stage.runId), []);
  });

  it('a well-behaved silence is no reason to end it', async () => {
    await open({ graceMs: 100 });
    await stage.cut('mcp.badly.never');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await echo();
    sameProcess();
  });

  it('dies in the middle of a call: lost, told, and back for the next', async () => {
    await open();
    const end = await stage.call('mcp.badly.crash');
    assert.equal(end.kind, 'lost');
    await until('it is told', () => stage.ended.length === 1);
    assert.match(stage.session.whyNot('mcp.badly.echo'), /ended by itself \(exit code 3\)/);
    await stage.session.ready(never());
    await echo();
  });

  it('shows progress', async () => {
    await open();
    const seen: unknown[] = [];
    await stage.call('mcp.badly.progress', {}, { onProgress: (progress) => seen.push(progress) });
    assert.deepEqual(seen, [
      { done: 3, total: 10, message: 'three of ten' },
      { done: 10, total: 10, message: 'all' },
    ]);
  });

  it('ends what a server started too, in whatever session it hid', async () => {
    await open();
    await stage.call('mcp.badly.child');
    assert.equal(alive(stage.runId).length, 2);
    assert.deepEqual(await stage.session.end(200), []);
    assert.deepEqual(alive(stage.runId), []);
  });

  it('gives a server no keys of the host', async () => {
    const env = {
      PATH: process.env['PATH'],
      VSCODE_PID: '1',
      ELECTRON_RUN_AS_NODE: '1',
      HOLDFAST_OPENAI_KEY: 'k',
      A: 'b',
    };
    await open({ env });
    const end = await stage.call('mcp.badly.env');
    const got = Object.keys(JSON.parse(end.text) as object).sort();
    assert.deepEqual(got, ['A', 'HOLDFAST_RUN', 'PATH']);
  });

  describe('verify by a read tool', () => {
    const rule = { verify: { tool: 'look', with: {}, committed: '${text}' } };
    const tools = { 'badly/commitThenHang': rule, 'badly/never': rule, 'badly/late': rule };

    it('committed before the answer was lost', async () => {
      await open({ tools });
      await stage.cut('mcp.badly.commitThenHang', { text: 'order 7' });
      const found = await stage.verify('mcp.badly.commitThenHang', { text: 'order 7' });
      assert.equal(found.verdict, 'happened');
      assert.match(found.proof, /mcp\.badly\.look shows: order 7/);
    });

    it('not committed', async () => {
      await open({ tools });
      await stage.cut('mcp.badly.never', { text: 'order 8' });
      const found = await stage.verify('mcp.badly.never', { text: 'order 8' });
      assert.equal(found.verdict, 'didNotHappen');
    });

    it('gives what was cancelled its grace before it looks', async () => {
      await open({ tools, graceMs: 2000 });
      await stage.cut('mcp.badly.late', { ms: 300, text: 'order 9' });
      const found = await stage.verify('mcp.badly.late', { text: 'order 9' });
      assert.equal(found.verdict, 'happened');
    });

    it('without a rule it cannot tell', async () => {
      await open();
      await stage.cut('mcp.badly.never');
      assert.equal((await stage.verify('mcp.badly.never')).verdict, 'unknown');
    });

    it('never by a tool that has effects itself', async () => {
      await open({ tools: { 'badly/never': { verify: { tool: 'late', with: {}, committed: 'x' } } } });
      await stage.cut('mcp.badly.never');
      const found = await stage.verify('mcp.badly.never');
      assert.equal(found.verdict, 'unknown');
      assert.match(found.proof, /not free of effects/);
    });
  });
});

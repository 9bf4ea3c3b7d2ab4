/** Whatever made us let go of a server: it is dead, or named, before anything else is said or started. */
import assert from 'node:assert/strict';
import type { ProcessId } from '../../../../src/core/ports';
import type { RunningProgram } from '../../../../src/core/programs';
import { Children } from '../../../../src/interop/mcp/children';
import { alive, McpStage, never, type StageOptions, until } from './stage';

describe('A server that is let go', function () {
  this.timeout(30_000);
  let stage: McpStage;
  const open = async (options: StageOptions = {}): Promise<void> => {
    stage = new McpStage(options);
    await stage.open();
  };
  afterEach(async () => {
    await stage.close();
    for (const pid of alive(stage.runId)) process.kill(pid, 'SIGKILL');
  });
  const wentOn = (): boolean => stage.log.some((line) => line.includes('went on after a cancel'));

  it('one that sends more than can be read is ended, and the run is told', async () => {
    await open();
    const end = await stage.call('mcp.badly.flood');
    assert.equal(end.kind, 'lost');
    assert.match(end.text, /more than can be read as one message/);
    await until('it is told', () => stage.ended.length === 1);
    assert.deepEqual(stage.ended[0]?.survivors, []);
    assert.deepEqual(alive(stage.runId), []);
  });

  it('and it is dead before the next call starts it again', async () => {
    await open();
    await stage.call('mcp.badly.flood', { deaf: true });
    await stage.session.ready(never());
    assert.equal(stage.started.length, 2);
    assert.deepEqual(alive(stage.runId), [stage.started[1]?.id.pid]);
    assert.equal(stage.ended.length, 1);
    const echo = await stage.call('mcp.badly.echo', { text: 'again' }, { callId: 's2' });
    assert.deepEqual(echo, { kind: 'answered', isError: false, text: 'again' });
  });

  it('an end at once after it waits for its death', async () => {
    await open();
    await stage.call('mcp.badly.flood', { deaf: true });
    assert.deepEqual(await stage.session.end(300), []);
    assert.deepEqual(alive(stage.runId), []);
  });

  it('an end waits for one that is being ended already', async () => {
    await open({ graceMs: 1000 });
    await stage.cut('mcp.badly.deaf');
    await until('it is let go', wentOn);
    assert.equal(alive(stage.runId).length, 1);
    assert.deepEqual(await stage.session.end(1000), []);
    assert.deepEqual(alive(stage.runId), []);
    assert.equal(stage.ended.length, 0, 'the end answers for it');
  });

  it('and a second end that waits no longer is obeyed', async () => {
    await open({ graceMs: 500 });
    await stage.cut('mcp.badly.deaf');
    await until('it is let go', wentOn);
    const whole = stage.session.end(600_000);
    assert.deepEqual(await stage.session.end(0), []);
    assert.deepEqual(await whole, []);
    assert.deepEqual(alive(stage.runId), []);
  });

  it('one whose start could not be recorded is not left alone', async () => {
    await open({ onStarted: () => Promise.reject(new Error('no room')) });
    assert.equal(stage.started.length > 0, true);
    assert.deepEqual(alive(stage.runId), []);
    assert.match(stage.session.whyNot('mcp.badly.echo'), /no room/);
  });
});

describe('Children that survive', () => {
  const id: ProcessId = { pid: 7, startTime: '1', command: 'x' };
  interface Ending {
    graceMs: number;
    settle: (survivors: ProcessId[]) => void;
    reject: (error: Error) => void;
  }
  const setting = (): { children: Children; ends: Ending[]; told: ProcessId[][] } => {
    const ends: Ending[] = [];
    const told: ProcessId[][] = [];
    const program: RunningProgram = {
      id,
      exited: new Promise(() => undefined),
      write: () => Promise.resolve(),
      end: (graceMs) => new Promise((settle, reject) => void ends.push({ graceMs, settle, reject })),
    };
    const children = new Children(
      () => 400,
      (_program, survivors) => void told.push(survivors),
    );
    children.add(program);
    return { children, ends, told };
  };

  it('are told once, however often they are let go', async () => {
    const { children, ends, told } = setting();
    const both = Promise.all([children.letGo(), children.letGo()]);
    assert.equal(ends.length, 1);
    ends[0]?.settle([id]);
    await both;
    assert.deepEqual(told, [[id]]);
    // Named: not waited for, and not named again.
    assert.deepEqual(await children.end(100), []);
    await children.letGo();
    assert.equal(ends.length, 1);
  });

  it('are named by the end that meets them, and by it alone', async () => {
    const { children, ends, told } = setting();
    const going = children.letGo();
    const end = children.end(100);
    assert.deepEqual(
      ends.map(({ graceMs }) => graceMs),
      [400, 100],
    );
    for (const { settle } of ends) settle([id]);
    assert.deepEqual(await end, [id]);
    await going;
    assert.deepEqual(told, []);
  });

  it('one that cannot be looked for counts as living', async () => {
    const { children, ends, told } = setting();
    const going = children.letGo();
    ends[0]?.reject(new Error('no /proc'));
    await going;
    assert.deepEqual(told, [[id]]);
  });
});

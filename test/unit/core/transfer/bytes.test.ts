import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type RunState } from '../../../../src/core/run/state';
import { Carrier } from '../../../../src/core/transfer/carry';
import { credentialsIn } from '../../../../src/core/transfer/credentials';
import { tree, until, useFolder } from '../../node/helpers';
import { forged, granted, linesOf, refused, type Step, write, useMachines } from './machine';

const ID = { pid: 4242, startTime: 'then', command: 'npm run dev' };

describe('the bytes of an exported file', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const file = (): string => folder.at('run.holdfast-run');
  const machine = useMachines(folder);
  const asking = { approvals: () => 'ask' as const };

  it('hold no grant, no key, no address, no folder of this machine and no secret; there it is asked again', async () => {
    const one = await machine('one', asking, [{ text: 'sk-CANARY-key-1', instead: '<key>', always: true }]);
    one.put({ '.env': 'PASSWORD=CANARY-env\n', 'notes.txt': 'plain\n' });
    const say = { tool: 'run_command', with: { command: 'echo here: $PWD sk-CANARY-key-1' } };
    const runId = (
      await one.start([
        { tool: 'read_file', with: { path: '.env' } },
        { tool: 'read_file', with: { path: 'notes.txt' } },
        say,
        { ...write('a.txt', 'a\n'), pauseBefore: true },
        { ...say, title: 'again' },
      ])
    ).runId;
    for (;;) {
      const state = await one.core.settled(runId);
      const open = state.decisions.find((one) => one.state === 'pending');
      if (!open) break;
      await one.core.decide({ decisionId: open.id, choice: open.title.startsWith('Run') ? 'grantForRun' : 'grant' });
    }
    const before = one.core.get(runId);
    assert.equal(before?.grants.length, 1);
    assert.ok(JSON.stringify(before.transcript).includes(one.workspace), 'the command said where it was');
    granted(await one.core.exportRun({ runId, target: file() }));
    const text = gunzipSync(readFileSync(file())).toString('utf8');
    for (const canary of [
      'CANARY-env',
      'sk-CANARY',
      one.workspace,
      one.storage,
      '"choice":"grantForRun"',
      '"startTime"',
    ])
      assert.equal(text.includes(canary), false, canary);
    const [, first] = linesOf(readFileSync(file()));
    assert.deepEqual((first?.['state'] as RunState).grants, []);
    const results = linesOf(readFileSync(file())).filter(
      (line) => (line['item'] as { kind?: string } | undefined)?.kind === 'result',
    );
    assert.ok(results.length >= 3);

    const two = await machine('two', asking);
    two.put({ 'notes.txt': 'plain\n' });
    const { from } = granted(await two.core.importRun({ target: file() }));
    assert.deepEqual([from.files.same, from.files.secret], [1, ['.env']]);
    granted(await two.core.resume({ runId }));
    const asked = await two.core.settled(runId);
    assert.equal(asked.status, 'awaitingApproval');
    assert.match(asked.decisions.at(-1)?.detail ?? '', /echo here/);
  });

  it('SECRET-4: credentials in a command line are in no byte of it, and a command that needs one is not run without it', async () => {
    const one = await machine('one', asking);
    const curl = "echo 'http://127.0.0.1:9/x?apikey=CANARY-4' -H 'Authorization: Bearer CANARY-5'";
    const { runId, decisions } = await one.start([
      { tool: 'run_command', with: { command: curl } },
      { tool: 'run_command', with: { command: `${curl} again` } },
    ]);
    assert.match(decisions[0]?.detail ?? '', /CANARY-5/, 'the card shows the true command');
    granted(await one.core.decide({ decisionId: decisions[0]?.id ?? '', choice: 'grant' }));
    await until('the second is asked about', () => one.core.get(runId)?.decisions.length === 2);
    granted(await one.core.exportRun({ runId, target: file() }));
    assert.doesNotMatch(gunzipSync(readFileSync(file())).toString('utf8'), /CANARY-[45]/);
    const two = await machine('two', asking);
    granted(await two.core.importRun({ target: file() }));
    assert.deepEqual(
      two.core.get(runId)?.steps.map((one) => [one.outcome, one.reason]),
      [
        ['done', undefined],
        ['cancelledBeforeEffect', 'notKept'],
      ],
    );
    assert.match(two.core.get(runId)?.importedFrom?.engine ?? '', /held a key/);
  });

  it('nor those of an undo, of steps to come, of an edit by hand; by name, by flag, by how they begin', async () => {
    const one = await machine('one', asking);
    const known = `sk_${'live'}_51CANARYabcdef01`;
    const run = (command: string, more: object = {}): Step => ({ tool: 'run_command', with: { command }, ...more });
    const undo = { tool: 'run_command', with: { command: 'curl -H "Authorization: Bearer CANARY-undo"' } };
    const { runId, decisions } = await one.start([
      write('.env', 'KEY=placeholder\n'),
      run('AWS_SECRET_ACCESS_KEY=CANARYwJalrXUtnFEMI true', { undo }),
      run('true -u admin:CANARY-3cret'),
      run(`true ${known}`),
      { ...run('true'), pauseBefore: true },
      run('curl -H "Authorization: Bearer CANARY-later"'),
      write('a/.env', 'KEY=CANARY-source\n'),
    ]);
    granted(await one.core.decide({ decisionId: decisions[0]?.id ?? '', choice: 'edit', text: 'KEY=CANARY-edit\n' }));
    for (let n = 2; n <= 4; n += 1) {
      await until(`question ${n}`, () => one.core.get(runId)?.decisions.length === n);
      granted(await one.core.decide({ decisionId: `${runId}/d${n}`, choice: 'grant' }));
    }
    assert.equal((await one.core.settled(runId)).status, 'paused');
    assert.equal(readFileSync(path.join(one.workspace, '.env'), 'utf8'), 'KEY=CANARY-edit\n');
    granted(await one.core.exportRun({ runId, target: file() }));
    const text = gunzipSync(readFileSync(file())).toString('utf8');
    assert.deepEqual(text.match(/.{0,60}CANARY.{0,20}/g), null);
    const two = await machine('two', asking);
    granted(await two.core.importRun({ target: file() }));
    const { engine } = two.core.get(runId) ?? {};
    assert.match(
      engine?.kind === 'playbook' ? engine.source : '',
      /was to write a\/\.env, with text that does not travel/,
    );
  });

  it('names of files stay, and variables are no credentials', () => {
    assert.deepEqual(credentialsIn('TOKEN=$GITHUB_TOKEN npm test; PGPASSWORD=postgres psql'), []);
    assert.deepEqual(credentialsIn('docker run -u 1000:1000 x; git commit -m "fix key: Handle"; sort --key=2'), []);
    assert.deepEqual(credentialsIn('git clone https://me:s3cr3t-word@host/x'), ['s3cr3t-word']);
    const carrier = new Carrier(() => false, new Set(), [{ text: 's3cr3t', instead: 'x', always: true }]);
    assert.deepEqual(carrier.piece({ path: 'a/s3cr3t.ts', text: 's3cr3t' }), { path: 'a/s3cr3t.ts', text: 'x' });
  });

  it('a call that was to write a secret is cancelled, not carried', async () => {
    const one = await machine('one', asking);
    const { runId, status } = await one.start([write('.env', 'PASSWORD=x\n')]);
    assert.equal(status, 'awaitingApproval');
    granted(await one.core.exportRun({ runId, target: file() }));
    const two = await machine('two', asking);
    granted(await two.core.importRun({ target: file() }));
    const state = two.core.get(runId);
    assert.deepEqual([state?.steps[0]?.outcome, state?.steps[0]?.reason], ['cancelledBeforeEffect', 'notKept']);
    assert.deepEqual(
      state?.decisions.map((one) => one.state),
      ['withdrawn'],
    );
  });

  it('an open question is still asked there, under the same id, and answered there', async () => {
    const one = await machine('one', asking);
    const { runId, decisions } = await one.start([
      { tool: 'ask_human', with: { question: 'Which?' } },
      write('a.txt', 'a\n'),
    ]);
    granted(await one.core.exportRun({ runId, target: file() }));
    const two = await machine('two', asking);
    assert.equal(granted(await two.core.importRun({ target: file() })).status, 'paused');
    const id = decisions[0]?.id ?? '';
    assert.equal(two.core.get(runId)?.decisions[0]?.state, 'pending');
    assert.deepEqual(granted(await two.core.resume({ runId })).waitsFor, [id]);
    granted(await two.core.decide({ decisionId: id, choice: '', text: 'that one' }));
    assert.equal((await two.core.settled(runId)).status, 'completed');
  });

  it('an approval that was open there is not answered here: it is asked anew, with what is here', async () => {
    const one = await machine('one', { approvals: () => 'edits' });
    one.put({ 'a.txt': 'one\n' });
    const edit = { tool: 'edit_file', with: { path: 'a.txt', old_text: 'one', new_text: 'uno' } };
    const { runId, decisions } = await one.start([edit]);
    granted(await one.core.exportRun({ runId, target: file() }));
    const two = await machine('two', { approvals: () => 'edits' });
    two.put({ 'a.txt': 'one\nmore\n' });
    granted(await two.core.importRun({ target: file() }));
    assert.equal(two.core.get(runId)?.decisions[0]?.state, 'withdrawn');
    assert.equal(
      refused(await two.core.decide({ decisionId: decisions[0]?.id ?? '', choice: 'grant' })).code,
      'noDecision',
    );
    granted(await two.core.resume({ runId }));
    const asked = await two.core.settled(runId);
    assert.deepEqual(
      asked.decisions.map((one) => one.state),
      ['withdrawn', 'pending'],
    );
    assert.equal(readFileSync(path.join(two.workspace, 'a.txt'), 'utf8'), 'one\nmore\n');
  });

  it('of somebody who means ill allow nothing here', async () => {
    const one = await machine('one', asking);
    const command = 'touch was-here';
    const { runId } = await one.start([{ tool: 'run_command', with: { command } }]);
    granted(await one.core.exportRun({ runId, target: file() }));
    const lines = linesOf(readFileSync(file())).map((line) => {
      const state = line['state'] as RunState | undefined;
      if (state) return { state: { ...state, frozen: `${runId}/s1` } };
      const item = line['item'] as Record<string, unknown> | undefined;
      if (line['list'] === 'decisions')
        return { ...line, item: { ...item, state: 'granted', answer: { choice: 'grant', at: 1 } } };
      if (line['list'] === 'steps')
        return {
          ...line,
          item: { ...item, repeatOf: 1, process: { id: { ...ID, pid: process.pid }, marker: 'x', background: false } },
        };
      return line;
    });
    const grant = { list: 'grants', item: `command::${command}` };
    writeFileSync(file(), forged([...lines.slice(0, 2), grant, ...lines.slice(2)]));
    const two = await machine('two', asking);
    granted(await two.core.importRun({ target: file() }));
    granted(await two.core.resume({ runId }));
    assert.equal((await two.core.settled(runId)).status, 'awaitingApproval');
    assert.equal(existsSync(path.join(two.workspace, 'was-here')), false);
    for (const bad of [
      { list: 'files', item: { path: 7 } },
      { list: '__proto__', item: {} },
      { list: 'goal', item: {} },
    ]) {
      writeFileSync(file(), forged([...lines.slice(0, 2), bad, ...lines.slice(2)]));
      assert.match(refused(await two.core.importRun({ target: file() })).message, /damaged/);
    }
    assert.deepEqual(tree(two.workspace), []);
  });

  it('a model that is not set up here is named, and nothing is lost', async () => {
    const one = await machine('one');
    const { runId } = await one.start([{ ...write('a.txt', 'a\n'), pauseBefore: true }]);
    granted(await one.core.exportRun({ runId, target: file() }));
    const lines = linesOf(readFileSync(file())).map((line) =>
      'state' in line
        ? { state: { ...(line['state'] as RunState), engine: { kind: 'model', provider: 'openai', modelId: 'm' } } }
        : line,
    );
    writeFileSync(file(), forged(lines));
    const two = await machine('two');
    const { from } = granted(await two.core.importRun({ target: file() }));
    assert.match(from.engine ?? '', /holdfast\.openai\.baseUrl/);
    assert.equal(two.core.get(runId)?.status, 'paused');
  });
});

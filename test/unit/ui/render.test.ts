import assert from 'node:assert/strict';
import { statusItem } from '../../../src/ui/statusText';
import { differsHere, importedWords } from '../../../src/ui/render/imported';
import { renderReconcile } from '../../../src/ui/render/reconcile';
import { stateLine } from '../../../src/ui/render/stateLine';
import { stepWords } from '../../../src/ui/render/call';
import { readable, renderTranscript } from '../../../src/ui/render/transcript';
import { clock, duration, inMessage, inPick, oneLine } from '../../../src/ui/render/words';
import { receipt, runState, step } from './states';

describe('words', () => {
  it('say durations as people do', () => {
    assert.deepEqual([0, 8_400, 65_000, 3_723_000, -5].map(duration), ['0 s', '8 s', '1:05', '1:02:03', '0 s']);
  });

  it('cut by letters, never inside one', () => {
    assert.equal(oneLine('a\n  b'), 'a b');
    assert.equal(oneLine('😀😀😀', 2), '😀…');
  });

  it('break what a message of VS Code would make a link of, and nothing else', () => {
    assert.equal(inMessage('[go](command:x) [a](HTTPS://b) $(zap)'), '[go] (command:x) [a] (HTTPS://b) $(zap)');
    assert.equal(inMessage('echo [a](b) $(sleep 1; ls)'), 'echo [a](b) $(sleep 1; ls)');
  });

  it('escape what a list of VS Code would make an icon of, and nothing else', () => {
    // As VS Code reads it: `\\$(name)` is text, `$(name)` an icon.
    const shown = (text: string): string =>
      inPick(text).replace(/(\\)?\$\(([a-z0-9-]+(?:~[a-z]+)?)\)/gi, (all, escaped?: string) =>
        escaped === undefined ? 'ICON' : all.slice(1),
      );
    for (const text of ['$(date)', 'a $(sync~spin) b', '\\$(zap)', '$(sleep 1; ls)', '$ (x)', '$($(a))'])
      assert.equal(shown(text), text);
  });
});

describe('a run that came from another machine', () => {
  const importedFrom = {
    ...{ runId: 'run0', exportedAt: 1_000, at: 2_000, missingContents: 1, engine: 'Set holdfast.openai.baseUrl.' },
    ...{ base: { branch: 'main', head: 'a'.repeat(40) }, here: { branch: 'main', head: 'b'.repeat(40) } },
    files: { same: 3, different: ['src/a.ts'], missing: ['b'], extra: [], unreadable: [], secret: ['.env'] },
  };

  it('is announced with its file and how many files differ', () => {
    const words = importedWords(importedFrom, 'rename.holdfast', true);
    assert.match(
      words,
      /^Imported from rename\.holdfast \(exported .*\), paused: 2 files of it differ here; another commit/,
    );
    assert.match(words, /Set holdfast\.openai\.baseUrl\.$/);
    const none = { ...importedFrom.files, different: [], missing: [] };
    assert.equal(differsHere(importedFrom), true);
    assert.equal(differsHere({ ...importedFrom, files: none, base: null, here: null }), false);
    assert.match(importedWords({ ...importedFrom, files: none }, 'x', false), /\): none of its files differs here/);
  });

  it('says what differs here until a resume has looked', () => {
    const text = renderReconcile(runState({ importedFrom }));
    for (const part of [
      '3 files the same, 1 different, 1 missing; another commit',
      'Set holdfast.openai.baseUrl.',
      '- there: main@aaaaaaaaaa\n- here: main@bbbbbbbbbb',
      '## Different here\n\n- src/a.ts',
      '## Missing here\n\n- b',
      '## Secret-looking, not compared\n\n- .env',
      '1 content of files did not come along',
    ])
      assert.ok(text.includes(part), `${part}\n${text}`);
    assert.ok(!text.includes('Here, and not there'));
    const report = { files: [], checked: 4, plan: [], text: '' };
    assert.match(renderReconcile(runState({ importedFrom, report })), /4 files checked/);
  });
});

describe('transcript', () => {
  it('shows words, calls, results, notes, reports and remarks in order, and marks what was cut off', () => {
    const s = runState({
      steps: [step(1, { tool: 'edit_file', args: { path: 'a.ts', old_text: 'x'.repeat(300) } })],
      transcript: [
        { kind: 'goal', text: 'Do it', at: 0 },
        { kind: 'assistant', requestId: 'q', text: 'First I look', stepIds: [], interrupted: true, at: 0 },
        { kind: 'note', noteId: 'n', text: 'not X', at: 0 },
        { kind: 'assistant', requestId: 'q2', text: '', stepIds: ['run1/s1'], interrupted: false, at: 0 },
        { kind: 'result', stepId: 'run1/s1', text: 'Edited.', at: 0 },
        { kind: 'report', text: 'a.ts was edited', at: 0 },
        { kind: 'remark', text: 'Resumed.', at: 0 },
      ],
      partial: { requestId: 'q3', text: 'And now' },
    });
    const text = renderTranscript(s);
    const order = [
      'Do it',
      'First I look (cut off by the stop)',
      'not X',
      '→ 1. Read file 1: Edit a.ts: “xxx',
      '← 1. done',
      '    Edited.',
      'a.ts was edited',
      `· ${clock(0)} Resumed.`,
      'And now▌',
    ];
    let at = -1;
    for (const part of order) {
      const next = text.indexOf(part);
      assert.ok(next > at, part);
      at = next;
    }
    assert.ok(text.split('\n').every((line) => line.length < 400));
  });

  it('says anew how a step ended when that changed', () => {
    const transcript = [{ kind: 'result' as const, stepId: 'run1/s1', text: 'x', at: 0 }];
    assert.match(
      renderTranscript(runState({ transcript, steps: [step(1, { outcome: 'unknown', effect: 'unknown' })] })),
      /← 1\. unknown, effect unknown/,
    );
    assert.match(renderTranscript(runState({ transcript, steps: [step(1)] })), /← 1\. done/);
  });

  it('leaves out the middle of long results', () => {
    const long = readable(Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n'));
    assert.match(long, /line 19\n… 460 lines left out …\nline 480/);
    assert.ok(readable('y'.repeat(100_000)).length < 4_100);
  });

  it('shows arguments that were no JSON as they came', () => {
    const bad = step(1, { args: undefined, badArgs: '{"path": ', title: 'Read' });
    assert.equal(stepWords(bad), 'Read: arguments that were no JSON: {"path":');
  });
});

describe('transcript of a run that was stopped', () => {
  it('has the stop where it came, and how it ended as its last lines', () => {
    const s = runState({
      status: 'completed',
      summary: 'Two files renamed.',
      steps: [step(1)],
      receipts: [receipt({ at: 20, message: 'Paused at a boundary after 1 step.' })],
      transcript: [
        { kind: 'goal', text: 'Do it', at: 1 },
        { kind: 'result', stepId: 'run1/s1', text: 'cancelledBeforeEffect (reason: steered): a note came.', at: 10 },
        { kind: 'note', noteId: 'n', text: 'not X', at: 30 },
        { kind: 'note', noteId: 'run1/g1', text: 'protect a', at: 40 },
      ],
    });
    const text = renderTranscript(s).replace(/\d\d:\d\d:\d\d/g, 'T');
    assert.match(text, /A note came\.\n\n· T Paused at a boundary after 1 step\.\n\n## Your note\n/);
    assert.match(text, /## Guard\n\nprotect a/);
    assert.match(text, /\n## Completed\n\nTwo files renamed\.\n\n· T Completed after 1 step\.\n$/);
    assert.match(readable('a\nb\nc', 2), /1 line left out/);
  });
});

describe('reconcile report', () => {
  it('lists verdicts with their diffs', () => {
    const text = renderReconcile(
      runState({
        report: {
          files: [
            {
              path: 'a.ts',
              verdict: 'humanEdited',
              before: { hash: 'a', size: 2, type: 'file' },
              after: { hash: 'b', size: 3, type: 'file' },
              diff: '@@ -1 +1 @@\n-a\n+b',
            },
            {
              path: 'b.ts',
              verdict: 'humanRenamed',
              newPath: 'c.ts',
              before: { hash: 'a', size: 2, type: 'file' },
              after: { hash: null, size: 0, type: 'missing' },
            },
          ],
          checked: 5,
          plan: [],
          text: 'x',
        },
      }),
    );
    for (const part of [
      '5 files checked, 2 changed.',
      '## a.ts\n\nyou edited it, 2 → 3 bytes',
      '-a\n+b',
      'you renamed it to c.ts',
      'The agent is told all of this',
    ])
      assert.ok(text.includes(part), part);
  });
});

describe('state line', () => {
  it('counts only what was done of a run that completed', () => {
    const done = runState({ status: 'completed', steps: [step(1), step(2)] });
    assert.equal(stateLine(done, 0).text, 'Completed after 2 steps.');
    const rejected = { ...done, steps: [step(1), step(2, { outcome: 'skipped', reason: 'rejected' })] };
    assert.equal(stateLine(rejected, 0).text, 'Completed; 1 of 2 steps finished.');
  });

  it('shows a long title whole, and no full stop after what was cut', () => {
    const at = (title: string): string =>
      stateLine(runState({ inFlight: { kind: 'step', stepId: 'run1/s1' }, steps: [step(1, { title })] }), 0).text;
    assert.equal(at('w'.repeat(100)), `Step 1: ${'w'.repeat(100)}.`);
    assert.match(at('w'.repeat(300)), /^Step 1: w+…$/);
  });

  it('says what is known by now of a step whose effect a stop left unknown', () => {
    const e = { stepId: 'run1/s1', n: 1, tool: 'run_command', title: 'Run x', evidence: '' };
    const message =
      'Paused: step 1 "Read file 1" had been requested and what it did is unknown; human review needed. It was killed.';
    const receipts = [receipt({ message, forced: true, effects: [{ ...e, outcome: 'unknown', effect: 'unknown' }] })];
    const at = (outcome: 'unknown' | 'failedBeforeEffect'): string =>
      stateLine(
        runState({ status: 'paused', reason: { code: 'human', text: '' }, receipts, steps: [step(1, { outcome })] }),
        0,
      ).text;
    assert.equal(at('unknown'), message);
    assert.equal(at('failedBeforeEffect'), 'Paused: what step 1 did is settled (failed before any effect).');
  });

  it('says whose turn it is where a playbook waits', () => {
    const s = runState({
      status: 'paused',
      reason: { code: 'playbook', text: 'The playbook waits for you before step 1: Change a line' },
      steps: [step(1, { outcome: 'notStarted', title: 'Change a line' })],
    });
    assert.deepEqual(stateLine(s, 0), { text: 'Your turn, before step 1: Change a line', tone: 'attention' });
  });

  const line = (change: Parameters<typeof runState>[0], now = 0): string => stateLine(runState(change), now).text;

  it('says what the run is doing', () => {
    assert.equal(line({ inFlight: { kind: 'model', requestId: 'q' } }), 'The agent is thinking.');
    assert.equal(
      line({ steps: [step(1, { outcome: 'running' })], inFlight: { kind: 'step', stepId: 'run1/s1' } }),
      'Step 1: Read file 1.',
    );
    assert.equal(
      line(
        {
          inFlight: { kind: 'retry' },
          retry: { attempt: 1, until: 9_000, error: { code: 'rateLimited', message: 'rate limited' } },
        },
        4_500,
      ),
      'The model service did not answer well (rate limited). Asking again in 5 s.',
    );
    assert.equal(
      line({
        status: 'paused',
        reason: { code: 'human', text: 'You paused it.' },
        receipts: [receipt()],
        steps: [step(1)],
      }),
      'Paused at a boundary after 1 step.',
    );
    assert.equal(
      line(
        { status: 'stopping', stopping: { intent: 'abort', at: 0, forced: false, phase: null, stepId: null } },
        6_000,
      ),
      'Aborting: waiting for what is in flight. Force Stop kills it at once.',
    );
  });

  it('never calls an effect cancelled', () => {
    assert.doesNotMatch(
      line({ status: 'stopping', stopping: { intent: 'pause', at: 0, forced: true, phase: null, stepId: null } }),
      /cancel/i,
    );
  });
});

describe('status bar', () => {
  it('counts a step that was cancelled and came again once', () => {
    const s = runState({
      status: 'completed',
      outline: ['a', 'b'],
      steps: [step(1), step(2, { outcome: 'cancelledBeforeEffect' }), step(3)],
    });
    assert.match(statusItem(s, 0).text, /Completed · 2\/2$/);
  });

  it('says status, control and step count', () => {
    assert.equal(statusItem(runState({ steps: [step(1), step(2)] }), 0).text, '$(loading~spin) Running · agent · 2');
    assert.equal(
      statusItem(runState({ status: 'humanControl', control: 'human', outline: ['a', 'b'], steps: [step(1)] }), 0).text,
      '$(person) You have control · 1/2',
    );
    assert.equal(statusItem(undefined, 0).text, '$(shield) Holdfast');
    const yours = runState({ status: 'paused', reason: { code: 'playbook', text: 'x' }, outline: ['a'] });
    assert.equal(statusItem(yours, 0).text, '$(debug-pause) Your turn · agent paused · 0/1');
  });
});

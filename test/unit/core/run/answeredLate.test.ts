/** What a server says of a call when nobody waits for it any more. */
import assert from 'node:assert/strict';
import { forkOf } from '../../../../src/core/checkpoints/fork';
import type { RunEvent } from '../../../../src/core/run/events';
import { buildRequest } from '../../../../src/core/run/prompt';
import type { RunState } from '../../../../src/core/run/state';
import { transition } from '../../../../src/core/run/transition';
import { renderStep } from '../../../../src/ui/render/step';
import { START } from './explore';

const stepId = 'r/s1';
const decisionId = 'r/d1';

class Run {
  state: RunState | undefined;
  private at = 0;

  get s(): RunState {
    assert.ok(this.state);
    return this.state;
  }

  /** Each event at its own time. */
  hears(...events: RunEvent[]): this {
    for (const event of events) {
      this.at += 10;
      this.state = transition(this.state, { seq: (this.state?.seq ?? 0) + 1, at: this.at, event }).state;
    }
    return this;
  }

  begins(verifiable: boolean): this {
    return this.hears(
      {
        type: 'stepStarted',
        stepId,
        contract: { effect: 'external', cancel: 'verify', retry: 'unsafe', phase: 'callingExternal', verifiable },
      },
      { type: 'effectRequested', stepId, changes: [] },
    );
  }

  /** A pause cuts the order. Answers when it was cut. */
  cut(): number {
    this.hears({ type: 'stopRequested', intent: 'pause' });
    const since = this.at;
    const end = { stepId, outcome: 'unknown', effect: 'unknown', text: 'It was cut.' } as const;
    this.hears({ type: 'stepEnded', end });
    return since;
  }

  answered(since: number, isError = false): this {
    return this.hears({ type: 'answeredLate', stepId, answer: { since, isError, text: 'order 7' } });
  }

  resumed(): this {
    return this.hears(
      { type: 'resumeRequested', via: 'resume' },
      {
        type: 'reconciled',
        report: { forced: [], files: [], git: [] } as never,
        asks: [],
        keptUnsaved: [],
        git: null,
      },
    );
  }

  get prompt(): string {
    return JSON.stringify(buildRequest(this.s, 'q', 'sh').messages);
  }

  get detail(): string {
    return this.s.decisions.find((d) => d.id === decisionId)?.detail ?? '';
  }
}

/** An order is being called. */
function ordering(verifiable = true): Run {
  const run = new Run();
  run.hears(START);
  if (run.s.inFlight?.kind === 'prepare') run.hears({ type: 'prepared', seen: [], git: null });
  assert.equal(run.s.inFlight?.kind, 'model');
  const { requestId } = run.s.inFlight;
  run.hears({ type: 'modelReplied', requestId, calls: [{ tool: 'mcp.shop.order', argsText: '{}' }] });
  return run.begins(verifiable);
}
const checked = (verdict: 'didNotHappen' | 'happened' | 'unknown'): RunEvent => ({
  type: 'effectChecked',
  decisionId,
  verdict,
  proof: 'the list shows nothing.',
});
const said = (choice: string): RunEvent => ({ type: 'decisionAnswered', decisionId, choice });

describe('an answer that nobody waited for', () => {
  it('is evidence for the open question, and settles nothing', () => {
    const run = ordering(false);
    run.answered(run.cut());
    assert.equal(run.s.steps[0]?.outcome, 'unknown');
    assert.equal(run.s.decisions[0]?.state, 'pending');
    assert.equal(run.detail, 'It was cut.\n\nIts server answered after all, and without an error: order 7');
    run.hears(said('happened')).resumed();
    assert.doesNotMatch(run.prompt, /after all/);
  });

  it('that comes before the cut is recorded is not lost', () => {
    const run = ordering(false);
    run.hears({ type: 'stopRequested', intent: 'pause' }).answered(1000);
    run.hears({ type: 'stepEnded', end: { stepId, outcome: 'unknown', effect: 'unknown', text: 'It was cut.' } });
    assert.match(run.detail, /without an error: order 7/);
  });

  it('stays evidence when a check cannot tell', () => {
    const run = ordering();
    const since = run.cut();
    assert.equal(run.s.inFlight?.kind, 'check');
    run.answered(since, true).hears(checked('unknown'));
    assert.equal(run.detail, 'the list shows nothing.\n\nIts server answered after all, with an error: order 7');
  });

  const corrected = /Step 1 \(.*\) was taken not to have happened\. It did happen\. Its server answered after all/;
  for (const by of ['check', 'human', 'check that it overtook'] as const) {
    it(`corrects what was settled as not happened by the ${by}, once`, () => {
      const run = ordering(by !== 'human');
      const since = run.cut();
      if (by === 'check that it overtook') run.answered(since).hears(checked('didNotHappen'));
      else run.hears(by === 'check' ? checked('didNotHappen') : said('didNotHappen')).answered(since);
      assert.equal(run.s.steps[0]?.outcome, 'failedBeforeEffect', 'the verdict stays');
      assert.match(renderStep(run.s, 1), /## Answered late\n\nWithout an error, [^\n]*\n\norder 7/);
      run.resumed();
      assert.equal(run.s.inFlight?.kind, 'model');
      assert.match(run.prompt, corrected);
      assert.equal(run.prompt.split('after all').length, 2);
      // A fork from there knows it once, too.
      const fork = new Run();
      fork.state = forkOf(run.s, 1, 'f', 9000);
      fork.resumed();
      assert.match(fork.prompt, corrected);
      assert.equal(fork.prompt.split('after all').length, 2);
    });
  }

  it('during the last request: the model reads it before the run ends', () => {
    const run = ordering();
    const since = run.cut();
    run.hears(checked('didNotHappen')).resumed();
    assert.equal(run.s.inFlight?.kind, 'model');
    const { requestId } = run.s.inFlight;
    run
      .answered(since)
      .hears({ type: 'modelText', requestId, text: 'Done.' }, { type: 'modelReplied', requestId, calls: [] });
    assert.equal(run.s.inFlight?.kind, 'model', 'it is asked again');
    assert.match(run.prompt, corrected);
  });

  it('with an error, of what was taken to have happened', () => {
    const run = ordering();
    const since = run.cut();
    run.hears(checked('happened')).answered(since, true).resumed();
    assert.match(run.prompt, /taken to have happened\. How much of it was done is not known\..*with an error: order 7/);
  });

  it('that says what is known already is not told again', () => {
    const run = ordering();
    const since = run.cut();
    run.hears(checked('happened')).answered(since).resumed();
    assert.doesNotMatch(run.prompt, /after all/);
  });

  it('of a call that was run again since is told as that of the former', () => {
    const run = ordering(false);
    const since = run.cut();
    run.hears(said('runAgain')).answered(since).resumed();
    assert.equal(run.s.inFlight?.kind, 'step');
    run
      .begins(false)
      .hears({ type: 'stepEnded', end: { stepId, outcome: 'done', effect: 'committed', text: 'order 8' } });
    assert.match(run.prompt, /the call that was cut before it was run again did happen\..*order 7/);
  });

  const outcome = (text: string): RunEvent => ({
    type: 'stepEnded',
    end: { stepId, outcome: 'done', effect: 'committed', text },
  });
  const former = /the call that was cut before it was run again did happen\. [^"]*?order 7/g;
  const times = (text: string, what: RegExp): number => [...text.matchAll(what)].length;

  it('before the human runs it again all the same: the former one is told, once', () => {
    const run = ordering(false);
    run.answered(run.cut()).hears(said('runAgain')).resumed().begins(false).hears(outcome('order 8'));
    assert.equal(times(run.prompt, former), 1);
  });

  it('before the human says that it did not happen: both are told, once', () => {
    const run = ordering(false);
    run.answered(run.cut()).hears(said('didNotHappen')).resumed();
    assert.match(run.prompt, corrected);
    assert.equal(times(run.prompt, /after all/g), 1);
    assert.match(run.prompt, /It did not happen, the human says/);
  });

  it('with an error, before the human says that it happened', () => {
    const run = ordering(false);
    run.answered(run.cut(), true).hears(said('happened')).resumed();
    assert.match(run.prompt, /taken to have happened\. How much of it was done is not known\./);
  });

  for (const firstFails of [true, false])
    it(`of each of two tries counts, in whatever order they come; the first ${firstFails ? 'failed' : 'was done'}`, () => {
      for (const order of ['first', 'second']) {
        const run = ordering(false);
        const one = run.cut();
        run.hears(said('runAgain')).resumed().begins(false);
        const two = run.cut();
        const again = run.s.decisions.at(-1);
        assert.equal(again?.state, 'pending');
        const hearsOne = (): Run => run.answered(one, firstFails);
        if (order === 'first') hearsOne();
        run.hears({ type: 'answeredLate', stepId, answer: { since: two, isError: false, text: 'order 8' } });
        if (order === 'second') hearsOne();
        const { detail } = run.s.decisions.at(-1) ?? {};
        assert.match(detail ?? '', /Of a try before this one: Its server answered after all, [^\n]*: order 7/);
        assert.match(detail ?? '', /\n\nIts server answered after all, and without an error: order 8/);
        run.hears({ type: 'decisionAnswered', decisionId: again.id, choice: 'didNotHappen' }).resumed();
        assert.match(run.prompt, /taken not to have happened\. It did happen\.[^"]*order 8/);
        assert.equal(times(run.prompt, former), firstFails ? 0 : 1, order);
        assert.match(renderStep(run.s, 1), /order 7[^]*order 8/);
      }
    });

  it('in a run that is over is for the human alone', () => {
    const run = ordering(false);
    const since = run.cut();
    run.hears(said('didNotHappen'), { type: 'stopRequested', intent: 'abort' });
    assert.equal(run.s.status, 'aborted');
    run.answered(since);
    assert.equal(run.s.status, 'aborted');
    const last = run.s.transcript.at(-1);
    assert.equal(last?.kind, 'remark');
    assert.match(last.text, corrected);
  });
});

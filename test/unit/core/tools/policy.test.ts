import assert from 'node:assert/strict';
import type { Settings } from '../../../../src/core/ports';
import type { Decision, RunState, Step } from '../../../../src/core/run/state';
import { approve } from '../../../../src/core/tools/approval';
import { isSecret, isSensitive, reasonsToAsk, whyProtected } from '../../../../src/core/tools/policy';
import type { ToolContext } from '../../../../src/core/tools/tool';
import { SimWorld } from '../../../sim/world';

const settings = (
  approvals: 'ask' | 'edits' | 'auto',
  more: Partial<Record<'protectedPaths' | 'sensitivePaths' | 'secretPaths', string[]>> = {},
): Settings => {
  const of = (key: keyof typeof more) => () => more[key] ?? [];
  return {
    ...base,
    approvals: () => approvals,
    protectedPaths: of('protectedPaths'),
    sensitivePaths: of('sensitivePaths'),
    secretPaths: of('secretPaths'),
  };
};
const base: Settings = new SimWorld().settingsPort();

describe('who is asked', () => {
  it('the setting decides about commands, deletions and edits', () => {
    const asked = (mode: 'ask' | 'edits' | 'auto'): boolean[] =>
      (['read', 'edit', 'delete', 'command'] as const).map(
        (deed) => reasonsToAsk(deed, ['src/a.ts'], settings(mode)).length > 0,
      );
    assert.deepEqual(asked('auto'), [false, false, false, false]);
    assert.deepEqual(asked('ask'), [false, false, true, true]);
    assert.deepEqual(asked('edits'), [false, true, true, true]);
  });

  it('secret-looking files always ask, sensitive ones when written, also with auto', () => {
    const auto = settings('auto');
    for (const path of ['.env', 'app/.env.local', 'keys/server.pem', '.NPMRC', 'a/b/id_rsa']) {
      assert.ok(isSecret(path, auto), path);
      assert.equal(reasonsToAsk('read', [path], auto).length, 1, path);
    }
    for (const path of [
      '.vscode/tasks.json',
      'x/.VSCode/settings.json',
      '.github/workflows/ci.yml',
      'AGENTS.md',
      'my.code-workspace',
    ]) {
      assert.ok(isSensitive(path, auto), path);
      assert.equal(reasonsToAsk('edit', [path], auto).length, 1, path);
      assert.equal(reasonsToAsk('read', [path], auto).length, 0, path);
    }
    for (const path of ['environment.ts', 'src/key.ts', 'docs/env.md'])
      assert.ok(!isSecret(path, auto) && !isSensitive(path, auto), path);
  });

  it('settings add to the lists, never take away', () => {
    const more = settings('auto', {
      secretPaths: ['**/vault/**'],
      sensitivePaths: ['Makefile'],
      protectedPaths: ['lib/**'],
    });
    assert.ok(isSecret('a/vault/x', more) && isSecret('.env', more));
    assert.ok(isSensitive('Makefile', more) && isSensitive('AGENTS.md', more));
    const state = {} as RunState;
    assert.match(whyProtected('lib/a/b.c', more, state) ?? '', /protectedPaths/);
    assert.equal(whyProtected('src/lib.c', more, state), undefined);
  });
});

describe('an approval covers what was shown', () => {
  const step = { id: 'r/s1' } as Step;
  const context = (decision?: Partial<Decision>, grants: string[] = []): ToolContext => {
    const decisions = decision
      ? [{ id: 'r/d1', kind: 'approval', stepId: step.id, subject: 's', state: 'pending', ...decision } as Decision]
      : [];
    const ports = { settings: base, clock: { now: () => 1000 } } as unknown as ToolContext['ports'];
    return { ports, step, state: { decisions, grants } as unknown as RunState, signal: new AbortController().signal };
  };
  const ask = (given: ToolContext) => approve(given, ['Because.'], { title: 'Sure?', subject: 's' });

  it('nobody is asked without a reason, or where it is granted for the run', () => {
    assert.equal(approve(context(), [], { title: '', subject: 's' }).granted, true);
    assert.equal(ask(context(undefined, ['s'])).granted, true);
  });

  it('granted for this content: done; for another: stale, and asked anew', () => {
    assert.equal(ask(context({ state: 'granted' })).granted, true);
    const other = ask(context({ state: 'granted', subject: 'other' }));
    assert.equal(!other.granted && other.plan.kind, 'stale');
  });

  it('rejected: skipped, with the words of the human', () => {
    const verdict = ask(context({ state: 'rejected', answer: { choice: 'reject', text: 'keep two', at: 1 } }));
    assert.ok(!verdict.granted && verdict.plan.kind === 'end');
    assert.equal(verdict.plan.end.outcome, 'skipped');
    assert.match(verdict.plan.end.text, /^rejected.*keep two/);
  });

  it('expired, withdrawn or stale: asked anew, with a time limit', () => {
    for (const state of ['expired', 'withdrawn', 'stale'] as const) {
      const verdict = ask(context({ state }));
      assert.ok(!verdict.granted && verdict.plan.kind === 'ask', state);
      assert.equal(verdict.plan.request.expiresAt, 1000 + 60 * 60_000);
    }
  });
});

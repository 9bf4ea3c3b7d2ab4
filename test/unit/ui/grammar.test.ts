import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, parseRawGrammar, Registry, type IGrammar } from 'vscode-textmate';

/** As VS Code colours a document: scopes of the first token of each line that has one of ours. */
describe('colours of documents', () => {
  let grammar: IGrammar;

  before(async () => {
    await loadWASM(readFileSync(path.join('node_modules', 'vscode-oniguruma', 'release', 'onig.wasm')));
    const file = 'media/document.tmLanguage.json';
    const registry = new Registry({
      onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
      loadGrammar: () => Promise.resolve(parseRawGrammar(readFileSync(file, 'utf8'), file)),
    });
    const loaded = await registry.loadGrammar('text.holdfast');
    assert.ok(loaded);
    grammar = loaded;
  });

  function scopes(text: string): string[] {
    let state = INITIAL;
    return text.split('\n').map((line) => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      const named = tokens
        .flatMap((token) => token.scopes.slice(1))
        .filter((scope) => !scope.startsWith('meta.embedded'));
      return named[0]?.split('.').slice(0, 2).join('.') ?? '';
    });
  }

  it('go on after a diff, whatever comes next', () => {
    const diff = ['@@ -1,2 +1,2 @@', '-a', '+b', ' same'];
    const block = ['meta.diff', 'markup.deleted', 'markup.inserted', ''];
    for (const [next, scope] of [
      ['· 10:00:00 Paused.', 'comment.line'],
      ['## Agent', 'markup.heading'],
      ['  → 3. read_file(path: "a")', 'constant.numeric'],
      ['  ← 3. done', 'constant.numeric'],
    ] as const) {
      assert.deepEqual(scopes([...diff, next].join('\n')), [...block, scope], next);
      assert.deepEqual(scopes([...diff, '', next].join('\n')), [...block, '', scope], next);
      assert.deepEqual(scopes([...diff, '```', next].join('\n')), [...block, '', scope], next);
    }
  });

  it('know a diff inside a result', () => {
    assert.deepEqual(scopes('  ← 1. done\n    @@ -1 +1 @@\n    -a\n    +b\n\n  → 2. finish(summary: "x")'), [
      'constant.numeric',
      'meta.diff',
      'markup.deleted',
      'markup.inserted',
      '',
      'constant.numeric',
    ]);
  });
});

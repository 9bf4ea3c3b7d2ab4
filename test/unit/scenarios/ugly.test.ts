/** docs/cases.md says what holds each ugly case of a stop: what it names exists, and is played where it says. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parseScenario } from '../../scenarios/validate';

const CASES = 'test/scenarios/cases';
const INTEGRATION = 'test/vscode/integration';

const rows = readFileSync('docs/cases.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()));

const named = (cell: string): string[] => cell.match(/\b[A-Z]+-A?\d+\b/g) ?? [];

describe('the ugly cases', () => {
  it('are all there', () => assert.equal(rows.length, 9));

  for (const [, title, node = '', vscode = ''] of rows) {
    it(String(title), () => {
      for (const [host, cell] of [
        ['node', node],
        ['vscode', vscode],
      ] as const) {
        const ids = named(cell);
        const tests = [...cell.matchAll(/integration: "(.*?)"/g)].map(([, name]) => name ?? '');
        assert.ok(ids.length + tests.length > 0, `${host} has none`);
        for (const id of ids) {
          const file = path.join(CASES, `${id}.json`);
          const { hosts } = parseScenario(readFileSync(file, 'utf8'), file);
          assert.ok(hosts === undefined || hosts.includes(host), `${id} is not played in ${host}`);
        }
        const sources = readdirSync(INTEGRATION).map((file) => readFileSync(path.join(INTEGRATION, file), 'utf8'));
        for (const name of tests)
          assert.ok(
            sources.some((source) => source.includes(`'${name}`)),
            name,
          );
      }
    });
  }
});

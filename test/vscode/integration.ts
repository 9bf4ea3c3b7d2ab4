/** Entry of the extension test host: runs the tests beside it with mocha, inside a real VS Code. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

// The console of an extension host takes no format strings.
Mocha.reporters.Base.consoleLog = (...given: unknown[]) => console.log(format(...given));

export function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 120_000, color: false, reporter: 'spec' });
  const only = process.env['HOLDFAST_TEST_GREP'];
  if (only) mocha.grep(only);
  const folder = path.join(__dirname, 'integration');
  for (const file of readdirSync(folder)) if (file.endsWith('.test.js')) mocha.addFile(path.join(folder, file));
  return new Promise((resolve, reject) => {
    mocha.run((failures) => (failures > 0 ? reject(new Error(`${failures} tests failed`)) : resolve()));
  });
}

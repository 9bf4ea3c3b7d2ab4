/** Runs in the extension host of a real VS Code: prints one line of figures. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { commands, extensions } from 'vscode';

export const MARK = 'startup figures: ';

export async function run(): Promise<void> {
  const extension = extensions.getExtension('holdfast.holdfast');
  if (!extension) throw new Error('the extension is not there');
  await extension.activate();
  const from = performance.now();
  await commands.executeCommand('holdfast.run.focus');
  const view = performance.now() - from;
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed } = process.memoryUsage();
  const figures = (globalThis as { holdfastStartup?: object }).holdfastStartup;
  console.log(MARK + JSON.stringify({ ...figures, view, heapMB: heapUsed / 1e6 }));
}

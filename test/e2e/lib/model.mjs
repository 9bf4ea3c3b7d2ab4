// The scripted OpenAI-compatible server of the scenarios, for tests outside the extension host.
import path from 'node:path';
import { build } from 'esbuild';
import { root } from '../../../scripts/lib/provision.mjs';

/** Starts a server that plays `replies` in order; `requests`, `waitForRequest(n, ms)`, `url`, `stop()` as there. */
export async function startModel(replies) {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'test', 'scenarios', 'server.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
  });
  const source = Buffer.from(outputFiles[0].contents).toString('base64');
  const { ScriptedModel } = await import(`data:text/javascript;base64,${source}`);
  const model = new ScriptedModel(replies);
  model.url = await model.start();
  return model;
}

/** Settings of a machine whose runs are driven by this server. */
export const settingsFor = (model) => ({
  'holdfast.model': 'openai',
  'holdfast.openai.baseUrl': model.url,
  'holdfast.openai.modelId': 'scripted',
});

import assert from 'node:assert/strict';
import type { EngineRef, Model } from '../../../src/core/ports';
import type { ModelError } from '../../../src/core/errors';
import { createModels } from '../../../src/models';

function models(settings: { baseUrl?: string; modelId?: string; provider?: string }): ReturnType<typeof createModels> {
  return createModels({
    openai: { baseUrl: () => settings.baseUrl, modelId: () => settings.modelId, key: () => Promise.resolve(undefined) },
    defaultProvider: () => settings.provider,
    tools: {},
  });
}

function refused(answer: Model | EngineRef | { error: ModelError }): string {
  assert.ok('error' in answer, JSON.stringify(answer));
  assert.equal(answer.error.code, 'notConfigured');
  return answer.error.message;
}

describe('createModels', () => {
  const openai: EngineRef = { kind: 'model', provider: 'openai' };

  it('opens the service with the model of the run, else of the settings', async () => {
    const both = models({ baseUrl: 'http://localhost:1234/v1/', modelId: 'set' });
    const stored = await both.open({ ...openai, modelId: 'stored' });
    assert.ok('info' in stored);
    assert.deepEqual(stored.info, { provider: 'openai', label: 'stored', fixed: false, files: [], outline: [] });
    const fromSettings = await both.open(openai);
    assert.ok('info' in fromSettings);
    assert.equal(fromSettings.info.label, 'set');
  });

  it('names the setting that is missing or wrong, and never repeats it', async () => {
    assert.match(refused(await models({}).open(openai)), /Set holdfast\.openai\.baseUrl/);
    assert.match(refused(await models({ baseUrl: 'https://h/v1' }).open(openai)), /Set holdfast\.openai\.modelId/);
    for (const baseUrl of ['h/v1 secret', 'ftp://secret/v1', 'https://u:secret@h/v1', 'https://h/v1?key=secret']) {
      const message = refused(await models({ baseUrl, modelId: 'm' }).open(openai));
      assert.match(message, /holdfast\.openai\.baseUrl/);
      assert.ok(!message.includes('secret'));
    }
    assert.match(
      refused(await models({}).open({ kind: 'model', provider: 'telepathy' })),
      /"telepathy".*set holdfast\.model/,
    );
  });

  it('the default is what is set, else what is usable', async () => {
    const usable = { baseUrl: 'https://h/v1', modelId: 'm' };
    assert.deepEqual(await models(usable).defaultRef(), { kind: 'model', provider: 'openai', modelId: 'm' });
    assert.deepEqual(await models({ ...usable, provider: 'openai' }).defaultRef(), {
      kind: 'model',
      provider: 'openai',
      modelId: 'm',
    });
    assert.match(refused(await models({}).defaultRef()), /No model is set up.*playbook file/);
    assert.match(refused(await models({ provider: 'openai', baseUrl: 'https://h/v1' }).defaultRef()), /modelId/);
    assert.match(refused(await models({ ...usable, provider: 'playbook' }).defaultRef()), /run a playbook file/);
    assert.match(refused(await models({ ...usable, provider: 'anthropic' }).defaultRef()), /not available/);
  });
});

/** Entry of the second bundle, loaded at the first run. */
import type { ModelError } from '../core/errors';
import type { EngineRef, Model, Models } from '../core/ports';
import { parseEndpoint } from './openai/endpoint';
import { OpenAiModel } from './openai/model';
import { PlaybookModel } from './playbook/model';
import { parsePlaybook } from './playbook/parse';
import type { ToolArguments } from './playbook/types';

export { parsePlaybook } from './playbook/parse';
export type { Playbook, PlaybookProblem, PlaybookStep, ToolArguments } from './playbook/types';

/** Settings are read anew each time; none of them may come from a workspace or a stored run. */
export interface ModelsConfig {
  openai: {
    baseUrl(): string | undefined;
    modelId(): string | undefined;
    key(): Promise<string | undefined>;
  };
  /** `holdfast.model`; undefined: the first that is usable. */
  defaultProvider(): string | undefined;
  /** The tools a playbook may call. */
  tools: ToolArguments;
}

export function createModels(config: ModelsConfig): Models {
  return {
    open: (ref) =>
      Promise.resolve(ref.kind === 'playbook' ? openPlaybook(ref, config.tools) : openService(ref, config)),
    defaultRef: () => Promise.resolve(defaultRef(config)),
  };
}

type Opened = Model | { error: ModelError };

function openPlaybook(ref: Extract<EngineRef, { kind: 'playbook' }>, tools: ToolArguments): Opened {
  const parsed = parsePlaybook(ref.source, ref.format, tools);
  if ('playbook' in parsed) return new PlaybookModel(parsed.playbook, ref.label);
  const [first, ...more] = parsed.problems;
  const place = first ? `, line ${first.line}, column ${first.column}: ${first.message}` : ' is not a playbook.';
  const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
  return { error: { code: 'badPlaybook', message: `${ref.label}${place}${rest}` } };
}

function openService(ref: Extract<EngineRef, { kind: 'model' }>, config: ModelsConfig): Opened {
  if (ref.provider !== 'openai') return notConfigured(unknownProvider(ref.provider));
  const baseUrl = text(config.openai.baseUrl());
  const modelId = text(ref.modelId) ?? text(config.openai.modelId());
  if (baseUrl === undefined)
    return notConfigured(
      'Set holdfast.openai.baseUrl to the address of a compatible server, for example https://host/v1.',
    );
  if (modelId === undefined) return notConfigured('Set holdfast.openai.modelId to the model to use.');
  const endpoint = parseEndpoint(baseUrl);
  if ('problem' in endpoint) return notConfigured(endpoint.problem);
  return new OpenAiModel({ endpoint, modelId, getKey: () => config.openai.key() });
}

function defaultRef(config: ModelsConfig): EngineRef | { error: ModelError } {
  const provider = text(config.defaultProvider());
  const baseUrl = text(config.openai.baseUrl());
  const modelId = text(config.openai.modelId());
  if (provider === 'playbook') {
    return notConfigured('holdfast.model is "playbook": run a playbook file, or set holdfast.model to "openai".');
  }
  if (provider !== undefined && provider !== 'openai') return notConfigured(unknownProvider(provider));
  if (provider === undefined && baseUrl === undefined) {
    return notConfigured(
      'No model is set up: set holdfast.openai.baseUrl and holdfast.openai.modelId, or run a playbook file.',
    );
  }
  if (baseUrl === undefined)
    return notConfigured(
      'Set holdfast.openai.baseUrl to the address of a compatible server, for example https://host/v1.',
    );
  if (modelId === undefined) return notConfigured('Set holdfast.openai.modelId to the model to use.');
  return { kind: 'model', provider: 'openai', modelId };
}

function unknownProvider(provider: string): string {
  const name = provider.replace(/[^\w.-]/g, '').slice(0, 40);
  return `The model provider "${name}" is not available: set holdfast.model to "openai", or run a playbook file.`;
}

function notConfigured(message: string): { error: ModelError } {
  return { error: { code: 'notConfigured', message } };
}

function text(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

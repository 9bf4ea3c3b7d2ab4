import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import * as z from 'zod/mini';
import type { ModelRequest, PromptMessage, ToolSpec } from '../../core/ports';
import type { WireNames } from './names';
import { repair } from './repair';

/** The library's own types, taken from its one entry point: the packages below it are not ours to depend on. */
export type ChatModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;
export type CallOptions = Parameters<ChatModel['doStream']>[0];
type Prompt = CallOptions['prompt'];
type Tools = NonNullable<CallOptions['tools']>;
type InputSchema = Extract<Tools[number], { type: 'function' }>['inputSchema'];

/** Prompt and tools in the library's form; messages are repaired first. */
export function toCallOptions(request: ModelRequest, names: WireNames): Pick<CallOptions, 'prompt' | 'tools'> {
  const prompt = repair(request.messages).map((message) => toPrompt(message, names));
  const tools: Tools = request.tools.map((tool) => ({
    type: 'function',
    name: names.wire(tool.name),
    description: wellFormed(tool.description),
    inputSchema: jsonSchema(tool.parameters),
  }));
  return tools.length > 0 ? { prompt, tools } : { prompt };
}

/** Made once per tool: the same bytes in every request help the caches of model services. */
const schemas = new WeakMap<object, InputSchema>();

function jsonSchema(parameters: ToolSpec['parameters']): InputSchema {
  if ('json' in parameters) return parameters.json;
  let schema = schemas.get(parameters.zod);
  if (!schema) {
    schema = z.toJSONSchema(parameters.zod, { io: 'input' }) as InputSchema;
    schemas.set(parameters.zod, schema);
  }
  return schema;
}

function toPrompt(message: PromptMessage, names: WireNames): Prompt[number] {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: wellFormed(message.text) };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: wellFormed(message.text) }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: wellFormed(message.text) }]),
          ...message.calls.map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.callId,
            toolName: names.wire(call.tool),
            input: call.args,
          })),
        ],
      };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.callId,
            toolName: names.wire(message.tool),
            output: { type: 'text', value: wellFormed(message.text) },
          },
        ],
      };
  }
}

/** Half a surrogate pair (text cut by length) makes some servers refuse the request. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

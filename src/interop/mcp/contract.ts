/** How a tool of a server stands to cancellation: its own annotations, and over them what the human's settings say. Pure. */
import { type Contract, SERVER_TOOL } from '../../core/tools/kinds';

/** The hints of the protocol; a server that means ill can say anything. */
export interface Annotations {
  readOnlyHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
}

/** A read tool that shows whether a call had its effect. `${name}` stands for an argument of that call. */
export interface VerifyRule {
  /** `server/tool`, or a tool of the same server. */
  tool: string;
  with: Record<string, unknown>;
  /** The effect is there when the read tool's text holds this. */
  committed: string;
  /** It is surely not there when the text holds this; absent: when `committed` is not found. */
  notCommitted?: string;
}

/** One entry of `holdfast.mcp.tools`. */
export interface Override {
  effect?: Contract['effect'];
  cancel?: Contract['cancel'];
  retry?: Contract['retry'];
  verify?: VerifyRule;
  /** A tool of the same server that takes the effect back, on the word of the human. */
  compensate?: NonNullable<Contract['compensate']>;
}

const EFFECTS = ['none', 'workspace', 'process', 'external'] as const;
const CANCELS = ['now', 'boundary', 'verify', 'never'] as const;
const RETRIES = ['safe', 'unsafe'] as const;

const oneOf = <T extends string>(value: unknown, words: readonly T[]): T | undefined =>
  words.find((word) => word === value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Entries of the setting by `server/tool` (`server/*`: all tools of a server); what is not understood widens nothing. */
export function overrideOf(setting: unknown, server: string, tool: string): Override {
  if (!isRecord(setting)) return {};
  const read = (key: string): Override => (Object.hasOwn(setting, key) ? parse(setting[key]) : {});
  return { ...read(`${server}/*`), ...read(`${server}/${tool}`) };
}

function parse(value: unknown): Override {
  if (!isRecord(value)) return {};
  const effect = oneOf(value['effect'], EFFECTS);
  const cancel = oneOf(value['cancel'], CANCELS);
  const retry = oneOf(value['retry'], RETRIES);
  const verify = parseRule(value['verify']);
  const compensate = parseCall(value['compensate']);
  return {
    ...(effect && { effect }),
    ...(cancel && { cancel }),
    ...(retry && { retry }),
    ...(verify && { verify }),
    ...(compensate && { compensate }),
  };
}

function parseCall(value: unknown): Override['compensate'] {
  if (!isRecord(value) || typeof value['tool'] !== 'string' || value['tool'] === '') return undefined;
  return { tool: value['tool'], with: isRecord(value['with']) ? value['with'] : {} };
}

function parseRule(value: unknown): VerifyRule | undefined {
  if (!isRecord(value)) return undefined;
  const { tool, committed, notCommitted } = value;
  if (typeof tool !== 'string' || typeof committed !== 'string' || committed === '') return undefined;
  const rule: VerifyRule = { tool, committed, with: isRecord(value['with']) ? value['with'] : {} };
  return typeof notCommitted === 'string' && notCommitted !== '' ? { ...rule, notCommitted } : rule;
}

/**
 * `trusted`: the human named the server in their own settings. The hints of others may make a call look more dangerous,
 * never less: a workspace cannot decide that its own tool is free of effects.
 */
export function contractFor(hints: Annotations, trusted: boolean, override: Override): Contract {
  const readOnly = trusted && hints.readOnlyHint === true;
  const base: Contract = readOnly
    ? { ...SERVER_TOOL, effect: 'none', cancel: 'now', retry: 'safe' }
    : { ...SERVER_TOOL, retry: trusted && hints.idempotentHint === true ? 'safe' : 'unsafe' };
  const effect = override.effect ?? base.effect;
  const follows = override.effect === undefined ? base : effect === 'none' ? HARMLESS : CAREFUL;
  return {
    ...base,
    effect,
    cancel: override.cancel ?? follows.cancel,
    retry: override.retry ?? follows.retry,
    ...(override.verify ? { verifiable: true } : {}),
    ...(override.compensate ? { compensate: override.compensate } : {}),
  };
}

const HARMLESS = { cancel: 'now', retry: 'safe' } as const;
const CAREFUL = { cancel: 'verify', retry: 'unsafe' } as const;

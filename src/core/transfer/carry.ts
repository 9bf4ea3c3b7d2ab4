/**
 * Pieces of a run as they are written into the file: without words of this machine, without a trace of secret-looking files,
 * and with a list of the contents they name. What the agent itself said stays as it said it, but for keys. Pure.
 */
import type { Hash, Path } from '../ports';
import { type LocalWord, NOT_KEPT_KEY } from './archive';
import { withoutKnown } from './credentials';
import { argsWithout, NOT_KEPT } from '../secretArgs';
import { argsTextWithout } from './secrets';

const HASH = /^[0-9a-f]{64}$/;
const HASHES = /[0-9a-f]{64}/g;
/** In the place of the hash of a secret-looking file: a short secret can be guessed by its hash. */
export const HIDDEN = '0'.repeat(64);

/** Members that hold words of the agent: arguments of its calls, the text of its replies, the source of a playbook. */
const AGENT: ReadonlySet<string> = new Set(['args', 'badArgs', 'undo', 'calls', 'source']);

/** Names of files are names: with a word taken out they would be those of other files. */
const PATHS: ReadonlySet<string> = new Set(['path', 'newPath', 'movedFrom', 'movedTo', 'renamedTo']);
/** What is told of a call: its result, the facts of a question about it. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'detail', 'badArgs']);

type Json = Record<string, unknown>;

/** An entry of the transcript, or a record, that is the agent's own text. */
const isReply = (value: Json): boolean => value['kind'] === 'assistant' || value['type'] === 'modelText';

export class Carrier {
  private readonly hashes = new Set<Hash>();
  private readonly words: readonly LocalWord[];

  /** `closed`: ids of steps whose call is on a secret-looking file, and of what was asked about one. */
  constructor(
    private readonly isSecret: (path: Path) => boolean,
    private readonly closed: ReadonlySet<string>,
    words: readonly LocalWord[],
  ) {
    // the longest first: a folder inside another one has the more telling name
    this.words = words.filter(({ text }) => text.length > 3).sort((a, b) => b.text.length - a.text.length);
  }

  /** Contents that were named so far. */
  get named(): ReadonlySet<Hash> {
    return this.hashes;
  }

  readonly piece = (value: unknown): unknown => this.carry(value, false, false);

  private carry(value: unknown, agents: boolean, secret: boolean): unknown {
    if (typeof value === 'string') return this.text(value, agents, secret);
    if (Array.isArray(value)) return value.map((one) => this.carry(one, agents, secret));
    if (typeof value !== 'object' || value === null) return value;
    const object = value as Json;
    // What a link held may be a folder of this machine.
    const link = object['link'] === 'before' || object['link'] === 'after';
    const hides = secret || link || ['path', 'from', 'newPath', 'movedFrom'].some((key) => this.secret(object[key]));
    const reply = isReply(object);
    const closed = ['stepId', 'id', 'decisionId'].some((key) => this.isClosed(object[key]));
    const entries = Object.entries(object).map(([key, one]): [string, unknown] => [
      key,
      PATHS.has(key) && typeof one === 'string'
        ? one
        : this.carry(this.open(key, one, closed), agents || AGENT.has(key) || (reply && key === 'text'), hides),
    ]);
    // not by assignment: a name like __proto__ is one of the human's files
    return Object.fromEntries(entries);
  }

  private isClosed(id: unknown): boolean {
    return typeof id === 'string' && this.closed.has(id);
  }

  /** The member as far as it is no text of a secret-looking file. */
  private open(key: string, value: unknown, closed: boolean): unknown {
    if (key === 'args') return argsWithout(value, this.isSecret);
    // an edit by hand is the text of the file
    if (key === 'answer' && closed && typeof value === 'object' && value !== null)
      return 'text' in value ? { ...value, text: NOT_KEPT } : value;
    if (typeof value !== 'string') return value;
    if (key === 'argsText') return argsTextWithout(value, this.isSecret);
    return closed && TEXTS.has(key) ? NOT_KEPT : value;
  }

  private secret(path: unknown): boolean {
    return typeof path === 'string' && this.isSecret(path);
  }

  private text(text: string, agents: boolean, secret: boolean): string {
    if (secret) return this.local(text.replace(HASHES, HIDDEN), agents);
    if (!agents && text.length === 64 && HASH.test(text)) this.hashes.add(text);
    return this.local(text, agents);
  }

  private local(text: string, agents: boolean): string {
    let carried = withoutKnown(text, NOT_KEPT_KEY);
    for (const word of this.words)
      if ((!agents || word.always) && carried.includes(word.text))
        carried = carried.replaceAll(word.text, () => word.instead);
    return carried.includes('…') ? this.cutOff(carried) : carried;
  }

  /** A title is cut short, and may be so in the middle of a key. */
  private cutOff(text: string): string {
    let carried = text;
    for (const { text: key, instead } of this.words.filter(({ always }) => always))
      for (let length = key.length - 1; length >= 4; length -= 1)
        carried = carried.replaceAll(`${key.slice(0, length)}…`, () => `${instead}…`);
    return carried;
  }
}

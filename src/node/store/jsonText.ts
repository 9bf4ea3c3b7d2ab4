/**
 * JSON of a large document, written and read in pieces, so that no piece holds up the event loop and there is no second copy of
 * the whole; with a sum at its end. Its lists begin and end on lines of their own, and what lies between stands in lines that are
 * cut between elements: a reader need not look for the ends of anything. Line ends mean nothing in JSON; any reader will do.
 */
import { createHash } from 'node:crypto';
import type { FsCalls } from '../fs';
import { eachLine } from './lines';

/** Characters gathered before a piece is handed on: well under a millisecond of work. */
const PIECE = 128 * 1024;
const SUM_TAIL = /,"sum":"([0-9a-f]{64})"\}\s*$/;

/** Gives each element of a list the form in which it is written. */
export type WriteElement = (list: string, element: unknown) => unknown;

/** The text of `value` in pieces; its last member is `sum`: the SHA-256 of the text before that member. */
export function* jsonPieces(value: object, as?: WriteElement): Generator<Buffer> {
  const hash = createHash('sha256');
  let text = '';
  for (text of openPieces(value, true, as)) {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    yield bytes;
  }
  yield Buffer.from(`${text === '{' ? '' : ','}"sum":"${hash.digest('hex')}"}`);
}

/**
 * The text of `value` in pieces, without its last brace. Lists are cut between their elements; anything else stays whole.
 * `lines`: in the lines that `readLined` reads; else in one.
 */
export function* openPieces(value: object, lines = false, as?: WriteElement): Generator<string> {
  let text = '{';
  const piece = (): string => {
    const whole = text;
    text = '';
    return whole;
  };
  let first = true;
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined || key === 'sum') continue;
    text += `${first ? '' : ','}${JSON.stringify(key)}:`;
    first = false;
    if (!Array.isArray(member)) {
      text += JSON.stringify(member);
    } else {
      const end = lines && member.length > 0 ? '\n' : '';
      text += `[${end}`;
      for (const [n, element] of member.entries() as IterableIterator<[number, unknown]>) {
        if (text.length >= PIECE) {
          if (n > 0) text += `,${end}`;
          yield piece();
        } else if (n > 0) {
          text += ',';
        }
        text += JSON.stringify(as ? as(key, element) : element) ?? 'null';
      }
      text += `${end}]`;
    }
    if (text.length >= PIECE) yield piece();
  }
  if (text !== '') yield piece();
}

const TAIL_BYTES = ',"sum":""}'.length + 64;
const TAIL = /^,"sum":"([0-9a-f]{64})"\}$/;
const [NEWLINE, COMMA, BRACKET] = [10, 0x2c, 0x5d];
const LIST_BEGINS = /("(?:[^"\\]|\\.)*"):\[\n$/;

/** Hears each element of a list as it was read, to take what it has in common with others from them. */
export type TakeElement = (list: string, element: unknown) => void;

/**
 * A document as `jsonPieces` writes it, without its sum. undefined: it is not there, is written in another way, or its sum does not
 * fit; why that is so, whoever reads it whole can say. Rejects with the system's error.
 */
export async function readLined(
  fs: FsCalls,
  file: string,
  hear?: TakeElement,
): Promise<{ value: Record<string, unknown>; bytes: number } | undefined> {
  const hash = createHash('sha256');
  const lists: [key: string, elements: unknown[]][] = [];
  let frame = ''; // the text with all lists of lines left empty
  let inList = false;
  let bytes = 0;
  let sum: string | undefined;
  const take = (line: Buffer): undefined => {
    bytes += line.length;
    const isLast = line.at(-1) !== NEWLINE;
    const body = isLast ? line.subarray(0, -TAIL_BYTES) : line;
    hash.update(body);
    if (isLast) sum = TAIL.exec(line.toString('latin1', body.length))?.[1];
    if (inList && line[0] !== BRACKET) {
      const text = body.toString('utf8', 0, body.length - (body.at(-2) === COMMA ? 2 : 1));
      const [name = '', elements = []] = lists.at(-1) ?? [];
      for (const element of JSON.parse(`[${text}]`) as unknown[]) {
        hear?.(name, element);
        elements.push(element);
      }
      return;
    }
    const text = body.toString('utf8');
    frame += text;
    const key = LIST_BEGINS.exec(text)?.[1];
    inList = key !== undefined;
    if (key !== undefined) lists.push([JSON.parse(key) as string, []]);
  };
  try {
    await eachLine(fs, file, take);
    if (sum === undefined || sum !== hash.digest('hex')) return undefined;
    const value = JSON.parse(`${frame}}`) as Record<string, unknown>;
    for (const [key, elements] of lists) value[key] = elements;
    return { value, bytes };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What the sum at the end of a text says of the text before it; `none`: there is no sum. */
export function checkSum(text: string): 'good' | 'bad' | 'none' {
  const found = SUM_TAIL.exec(text.slice(-120));
  if (found === null) return 'none';
  const body = text.slice(0, text.length - found[0].length);
  const sum = createHash('sha256').update(body).digest('hex');
  return sum === found[1] ? 'good' : 'bad';
}

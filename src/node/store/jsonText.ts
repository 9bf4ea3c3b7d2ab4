/** JSON of a large document in pieces, so that no piece holds up the event loop, and with a sum at its end. */
import { createHash } from 'node:crypto';

/** Characters gathered before a piece is handed on: well under a millisecond of work. */
const PIECE = 128 * 1024;
const SUM_TAIL = /,"sum":"([0-9a-f]{64})"\}\s*$/;

/** The text of `value` in pieces; its last member is `sum`: the SHA-256 of the text before that member. */
export function* jsonPieces(value: object): Generator<Buffer> {
  const hash = createHash('sha256');
  let text = '';
  for (text of openPieces(value)) {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    yield bytes;
  }
  yield Buffer.from(`${text === '{' ? '' : ','}"sum":"${hash.digest('hex')}"}`);
}

/** The text of `value` in pieces, without its last brace. Lists are cut between their elements; anything else stays whole. */
export function* openPieces(value: object): Generator<string> {
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
      text += '[';
      for (const [n, element] of member.entries() as IterableIterator<[number, unknown]>) {
        text += `${n === 0 ? '' : ','}${JSON.stringify(element) ?? 'null'}`;
        if (text.length >= PIECE) yield piece();
      }
      text += ']';
    }
    if (text.length >= PIECE) yield piece();
  }
  if (text !== '') yield piece();
}

/** What the sum at the end of a text says of the text before it; `none`: there is no sum. */
export function checkSum(text: string): 'good' | 'bad' | 'none' {
  const found = SUM_TAIL.exec(text.slice(-120));
  if (found === null) return 'none';
  const body = text.slice(0, text.length - found[0].length);
  const sum = createHash('sha256').update(body).digest('hex');
  return sum === found[1] ? 'good' : 'bad';
}

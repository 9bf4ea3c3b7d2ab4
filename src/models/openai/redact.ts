/** Shown of a server's own words. */
const MAX_LENGTH = 300;
/** A piece of the key of this length gives a word away; shorter ones occur by chance. */
const TELLTALE = 6;

const HIDDEN = '[hidden]';

/**
 * A server's words made fit to be shown and stored: one line, shortened, without the key (whole, in part or masked, as servers
 * like to echo it), without values of authorization headers, without other things that look like keys.
 */
export function redact(words: string, key: string | undefined): string {
  let text = words.slice(0, 4 * MAX_LENGTH);
  if (key !== undefined && key.length >= 3) text = text.split(key).join(HIDDEN);
  text = text
    .replace(
      /\b(authorization|proxy-authorization|x-api-key|api-key|cookie|set-cookie)(["']?\s*[:=]\s*)[^\r\n,}]*/gi,
      `$1$2${HIDDEN}`,
    )
    .replace(/\b(bearer|basic)\s+(?!token\b|auth)[\w.~+/*=-]{4,}/gi, `$1 ${HIDDEN}`)
    .replace(/\b(?:sk|pk|gsk|xai|key|ghp|hf|AIza)[-_][\w*.…-]{6,}/g, HIDDEN)
    .replace(/\beyJ[\w-]{8,}\.[\w.-]+/g, HIDDEN)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (key !== undefined) text = text.replace(/[^\s"'`,;()<>[\]{}]+/g, (word) => (givesAway(word, key) ? HIDDEN : word));
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1).replace(/\p{Surrogate}/gu, '')}…` : text;
}

function givesAway(word: string, key: string): boolean {
  // A masked echo (`ab***yz`) keeps the ends; an excerpt keeps some piece.
  if (/\*{2,}|…|\.{3}/.test(word) && key.length >= 3 && word.startsWith(key.slice(0, 3))) return true;
  for (let i = 0; i + TELLTALE <= key.length; i++) if (word.includes(key.slice(i, i + TELLTALE))) return true;
  return false;
}

/** Guards that free text seems to ask for: offered, never set by themselves. Pure. */
import { type GuardKind, guardProblem, type GuardRequest } from './guards';

const QUOTED = /^\s*(?:"([^"]+)"|`([^`]+)`|'([^']+)'|“([^”]+)”)/;
const BETWEEN = /^\s*(?:,\s*(?:(and|or|nor)\s+)?|(and|or|nor)\s+)/i;

interface Item {
  text: string;
  quoted: boolean;
  /** What joins it to the one before. */
  by: string;
}

/** The items at the beginning of a text: "a", "`a` or b", "a, b and c". `bare` cuts one without quotes off. */
function listed(text: string, bare: (rest: string) => string): { items: Item[]; rest: string } {
  const items: Item[] = [];
  let rest = text;
  let by = '';
  for (;;) {
    const quoted = QUOTED.exec(rest);
    const length = quoted ? quoted[0].length : bare(rest).length;
    const item = (quoted?.slice(1).find((group) => group !== undefined) ?? rest.slice(0, length)).trim();
    if (item === '') return { items, rest };
    items.push({ text: item, quoted: quoted !== null, by });
    rest = rest.slice(length);
    const between = BETWEEN.exec(rest);
    if (!between) return { items, rest };
    by = (between[1] ?? between[2] ?? 'or').toLowerCase();
    rest = rest.slice(between[0].length);
  }
}

/** A sentence that goes on behind a command. */
const AFTER =
  /\s+(?:and|or|nor|before|until|unless|again|yet|now|anymore|any more|at all|please|while|when|if|because|for now)\b|\.(?=\s|$)/i;
/** What no command begins with. */
const NO_COMMAND =
  /^(?:the|an?|any|anything|all|every|everything|it|its|this|that|these|those|them|my|your|our|more|commands?|tests?|into|out|away|from|for|to|on|too|then|tell|but|just|only|what|i|you|we)\b/i;
const COMMANDS =
  /^(?:npm|pnpm|yarn|npx|bun|git|gh|make|docker|podman|kubectl|helm|terraform|cargo|go|pip3?|uv|python3?|node|deno|rm|mv|cp|dd|curl|wget|sudo|ssh|scp|rsync|gradle|mvn|dotnet|aws|gcloud|az|psql|mysql|chmod|chown|kill|pkill|killall)\b/;

function bareCommand(rest: string): string {
  const whole = /^[^,;!?\n"'`“”]*/.exec(rest)?.[0] ?? '';
  const end = AFTER.exec(whole)?.index;
  return end === undefined ? whole : whole.slice(0, end);
}

function commands(text: string): string[] {
  const { items } = listed(text, bareCommand);
  const first = items[0]?.text.split(' ')[0];
  const fits = ({ text: words, quoted, by }: Item, at: number): boolean =>
    quoted ||
    (!NO_COMMAND.test(words) &&
      (at === 0 ||
        words.split(' ')[0] === first ||
        COMMANDS.test(words) ||
        (by !== 'and' && /^[\w./-]+$/.test(words))));
  const wrong = items.findIndex((item, at) => !fits(item, at));
  return (wrong < 0 ? items : items.slice(0, wrong)).map((item) => item.text);
}

/** Up to the next space, or comma that stands in no brackets. */
const barePath = (rest: string): string =>
  /^(?:\{[^\s{}]*\}|\([^\s()]*\)|[^\s,;"`“”])+/.exec(rest)?.[0]?.replace(/[.:!?]+$/, '') ?? '';

const FILES = /^(?:[A-Z][A-Z_]{3,}|(?:Make|Docker|Jenkins|Gem|Proc|Rake|Vagrant)file)$/;

const looksLikePath = ({ text, quoted, by }: Item): boolean =>
  /[/.*\\]/.test(text) || FILES.test(text) || (quoted && by !== '');

/** A bracket that was opened before the path does not belong to it. */
const closed = (path: string): string => (path.endsWith(')') && !path.includes('(') ? path.slice(0, -1) : path);

function paths(text: string): { found: string[]; rest: string } {
  const { items, rest } = listed(text, barePath);
  const wrong = items.findIndex((item) => !looksLikePath(item));
  return { found: (wrong < 0 ? items : items.slice(0, wrong)).map((item) => closed(item.text)), rest };
}

const step = (text: string): string[] => {
  const value = /^(?:the )?(step \d+|["'`]?[\w .-]+)/i.exec(text)?.[1];
  return value === undefined ? [] : [value.replace(/["'`]/g, '').replace(/[.\s]+$/, '')];
};

const NOT = String.raw`\b(?:do not|don[’']?t|never) `;

const OFFERS: readonly [GuardKind, RegExp, (rest: string) => string[]][] = [
  ['forbidCommand', /^forbid (?:the )?command /i, commands],
  ['forbidCommand', new RegExp(`${NOT}(?:run|execute|call) `, 'gi'), commands],
  ['stopBefore', /(?<!\b(?:not|don[’']?t|never) )\b(?:stop|pause|wait) before /gi, step],
  ['skip', /\bskip (?=(?:the )?step \d)/gi, step],
  ['protect', /^protect /i, (rest) => (/\s/.test(rest.trim()) ? paths(rest).found : [rest.trim()])],
  [
    'protect',
    new RegExp(`${NOT}(?:touch|edit|change|modify|write to|write|delete|overwrite) `, 'gi'),
    (rest) => paths(rest).found,
  ],
  [
    'protect',
    /\bleave /gi,
    (text) => {
      const { found, rest } = paths(text);
      return /^\s*(?:alone|as (?:it is|they are)|untouched)\b/i.test(rest) ? found : [];
    },
  ],
];

/** More than that nobody reads in a question. */
const MOST = 5;

/** What a note seems to ask for, each once; empty: nothing that can be enforced. */
export function offerGuards(text: string): GuardRequest[] {
  const note = text.trim();
  const offers = new Map<string, GuardRequest>();
  for (const [kind, words, values] of OFFERS) {
    const ends = words.global
      ? [...note.matchAll(words)].map((match) => match.index + match[0].length)
      : [words.exec(note)?.[0].length ?? -1].filter((end) => end >= 0);
    for (const value of ends.flatMap((end) => values(note.slice(end)))) {
      const request = { kind, value };
      if (guardProblem(request) === undefined) offers.set(`${kind} ${value}`, request);
    }
  }
  return [...offers.values()].slice(0, MOST);
}

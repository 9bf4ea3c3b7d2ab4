/** Messages between the steering view and the extension. Imports nothing; both sides check what they get. */

export const ACTIONS = ['pause', 'resume', 'takeOver', 'handBack', 'abort', 'forceStop', 'takeControlHere'] as const;
export type SteerAction = (typeof ACTIONS)[number];
export const TONES = ['idle', 'busy', 'attention', 'ended', 'problem'] as const;
export type SteerTone = (typeof TONES)[number];
export const EMPTY = ['noFolder', 'untrusted', 'noRun'] as const;
export type SteerEmpty = (typeof EMPTY)[number];

/** The label of the answer `edit` once the human has begun a text of their own: it is then what is meant. */
export const WRITE_MINE = 'Write My Version';

export interface SteerChoice {
  id: string;
  label: string;
}

export interface SteerDecision {
  id: string;
  kind: string;
  title: string;
  detail: string;
  choices: SteerChoice[];
  freeText: boolean;
  /** The button that shows what is asked about; '': none. */
  look: string;
}

export interface SteerTyped {
  of: string;
  text: string;
}

export interface SteerNote {
  id: string;
  text: string;
}

/** All the view shows; posted whole each time. */
export interface SteerState {
  /** undefined: see `empty`. */
  runId: string | undefined;
  empty: SteerEmpty | undefined;
  /** Another window has the run: it is only looked at here. */
  held: boolean;
  line: string;
  tone: SteerTone;
  control: 'agent' | 'human' | 'none';
  /** The run takes notes now. */
  takesNotes: boolean;
  canSteerNow: boolean;
  /** Driven by a playbook: it reads no notes. */
  fixed: boolean;
  /** The file the run stands before: offered to open while it is the human's turn. */
  file: string | undefined;
  canStart: boolean;
  actions: SteerAction[];
  hint: string;
  /** Why the notes in the queue are not with the agent yet; '': they come at the next boundary. */
  notesWait: string;
  notes: SteerNote[];
  decisions: SteerDecision[];
}

export type ToView =
  | { type: 'state'; state: SteerState }
  /** The fate of a request. `clear`: the text it carried is safe with the core. */
  | { type: 'answer'; request: number; clear: boolean; message: string }
  /** What the human has asked for waits for their answer: the keyboard goes there. */
  | { type: 'focusQuestion' }
  /** A text that was typed here was sent by another way (a key, a row of the tree): it goes. `of`: as in `typed`. */
  | { type: 'taken'; of: string; text: string };

export type FromView =
  | { type: 'ready' }
  /** What the human has typed and not sent, for the keys and rows that do the same as a button here. `of`: a run or a decision. */
  | { type: 'typed'; texts: SteerTyped[] }
  | { type: 'send'; request: number; runId: string; text: string; now: boolean }
  | { type: 'start'; request: number; text: string }
  /** An unsent note of a run that has ended: it comes first in a fork. */
  | { type: 'fork'; request: number; runId: string; text: string }
  | { type: 'act'; request: number; runId: string; action: SteerAction; text: string }
  | { type: 'editNote'; request: number; runId: string; noteId: string; text: string }
  | { type: 'withdraw'; request: number; runId: string; noteId: string }
  | { type: 'decide'; request: number; decisionId: string; choice: string; text: string }
  | { type: 'showChange'; decisionId: string }
  | { type: 'openFile'; path: string }
  | { type: 'run'; command: 'runPlaybook' | 'openTranscript' };

const LONGEST = 1_000_000;
type Shape = Record<string, unknown>;

const object = (value: unknown): Shape | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Shape) : undefined;
const text = (value: unknown): value is string => typeof value === 'string' && value.length <= LONGEST;
const word = (value: unknown): value is string => text(value) && value !== '';
const flag = (value: unknown): value is boolean => typeof value === 'boolean';
const count = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const among = <T extends string>(words: readonly T[], value: unknown): value is T => words.some((one) => one === value);
const list = (value: unknown, each: (one: Shape) => boolean): boolean =>
  Array.isArray(value) &&
  value.every((one) => {
    const shape = object(one);
    return shape !== undefined && each(shape);
  });

const isDecision = (d: Shape): boolean =>
  word(d['id']) &&
  text(d['kind']) &&
  text(d['title']) &&
  text(d['detail']) &&
  list(d['choices'], (c) => word(c['id']) && text(c['label'])) &&
  flag(d['freeText']) &&
  text(d['look']);

function isState(value: unknown): value is SteerState {
  const s = object(value);
  return (
    s !== undefined &&
    (s['runId'] === undefined || word(s['runId'])) &&
    (s['empty'] === undefined || among(EMPTY, s['empty'])) &&
    flag(s['held']) &&
    text(s['line']) &&
    among(TONES, s['tone']) &&
    among(['agent', 'human', 'none'], s['control']) &&
    flag(s['takesNotes']) &&
    flag(s['canSteerNow']) &&
    flag(s['fixed']) &&
    (s['file'] === undefined || word(s['file'])) &&
    flag(s['canStart']) &&
    Array.isArray(s['actions']) &&
    s['actions'].every((one) => among(ACTIONS, one)) &&
    text(s['hint']) &&
    text(s['notesWait']) &&
    list(s['notes'], (n) => word(n['id']) && text(n['text'])) &&
    list(s['decisions'], isDecision)
  );
}

/** undefined: not a message of ours; it is dropped. */
export function parseToView(data: unknown): ToView | undefined {
  const m = object(data);
  switch (m?.['type']) {
    case 'state':
      return isState(m['state']) ? { type: 'state', state: m['state'] } : undefined;
    case 'focusQuestion':
      return { type: 'focusQuestion' };
    case 'taken': {
      const { of, text: words } = m;
      return word(of) && word(words) ? { type: 'taken', of, text: words } : undefined;
    }
    case 'answer': {
      const { request, clear, message } = m;
      return count(request) && flag(clear) && text(message) ? { type: 'answer', request, clear, message } : undefined;
    }
    default:
      return undefined;
  }
}

/** undefined: not a message of ours; it is dropped. */
export function parseFromView(data: unknown): FromView | undefined {
  const m = object(data);
  if (!m) return undefined;
  const { request, runId, action, noteId, decisionId, choice, command, now, path } = m;
  const said = m['text'];
  switch (m['type']) {
    case 'ready':
      return { type: 'ready' };
    case 'typed': {
      const { texts } = m;
      const isTyped = (all: unknown): all is SteerTyped[] => list(all, (one) => word(one['of']) && word(one['text']));
      return isTyped(texts)
        ? { type: 'typed', texts: texts.map(({ of, text: words }) => ({ of, text: words })) }
        : undefined;
    }
    case 'send':
      return count(request) && word(runId) && word(said) && flag(now)
        ? { type: 'send', request, runId, text: said, now }
        : undefined;
    case 'start':
      return count(request) && text(said) ? { type: 'start', request, text: said } : undefined;
    case 'fork':
      return count(request) && word(runId) && word(said) ? { type: 'fork', request, runId, text: said } : undefined;
    case 'act':
      return count(request) && word(runId) && among(ACTIONS, action) && text(said)
        ? { type: 'act', request, runId, action, text: said }
        : undefined;
    case 'editNote':
      return count(request) && word(runId) && word(noteId) && word(said)
        ? { type: 'editNote', request, runId, noteId, text: said }
        : undefined;
    case 'withdraw':
      return count(request) && word(runId) && word(noteId) ? { type: 'withdraw', request, runId, noteId } : undefined;
    case 'decide':
      return count(request) && word(decisionId) && text(choice) && text(said)
        ? { type: 'decide', request, decisionId, choice, text: said }
        : undefined;
    case 'showChange':
      return word(decisionId) ? { type: 'showChange', decisionId } : undefined;
    case 'openFile':
      return word(path) ? { type: 'openFile', path } : undefined;
    case 'run':
      return among(['runPlaybook', 'openTranscript'], command) ? { type: 'run', command } : undefined;
    default:
      return undefined;
  }
}

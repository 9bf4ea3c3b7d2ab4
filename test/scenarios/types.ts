/** A scenario file as data: one acceptance case, played by every host. What is absent here is refused by `validate.ts`. */
import type { ProbePoint } from '../../src/core/probe';
import type { Reply } from './serverReply';

export type { Reply };

export type HostName = 'node' | 'vscode';

/** Objects keyed by path come straight from JSON.parse: a key such as `__proto__` is an own key; read them with Object.entries. */
export type ByPath<T> = Record<string, T>;

export type OneOf<T> = T | { oneOf: T[] };

export type Content =
  | string
  | { hex: string }
  | { text: string; mode?: string }
  | { link: string }
  | { dir: true }
  | { repeat: string; times: number };

/** A tool of the scripted tool server. */
export interface McpTool {
  effect?: string;
  replyMs?: number;
  silent?: boolean;
  lateMs?: number;
  error?: string;
}

export interface Setup {
  files: ByPath<Content>;
  folders?: string[];
  git?: boolean;
  settings?: Record<string, unknown>;
  workspaceSettings?: Record<string, unknown>;
  open?: string[];
  storage?: ByPath<Content>;
  noFolder?: boolean;
  trusted?: boolean;
  mcp?: Record<string, McpTool>;
}

export interface RunSetup {
  goal?: string;
  model?: Reply[];
  playbook?: Record<string, unknown>;
  approvals?: 'ask' | 'edits' | 'auto';
}

export type Point = ProbePoint | { at: ProbePoint; step: number };

export interface Human {
  write?: ByPath<Content>;
  remove?: string[];
  rename?: ByPath<string>;
  chmod?: ByPath<string>;
  touch?: string[];
  keepTimes?: boolean;
  shell?: string;
  type?: { path: string; line: number; column: number; text: string };
  replaceText?: { path: string; old: string; new: string };
  save?: string;
  open?: string;
  setEol?: { path: string; eol: 'lf' | 'crlf' };
}

export interface Until {
  status?: OneOf<string>;
  step?: { n: number; is: OneOf<string> };
  request?: number;
  decision?: string;
  held?: ProbePoint;
}

export type FaultOp = 'open' | 'write' | 'fsync' | 'rename' | 'read';

export interface Fault {
  op: FaultOp;
  path: string;
  error: string;
  times?: number;
}

export type Checkpoint = 'start' | number;

/** The verbs of a script with what stands beside them. */
export interface Verbs {
  start: { as?: string };
  pause: Empty;
  resume: Empty;
  abort: Empty;
  forceStop: Empty;
  takeOver: Empty;
  handBack: { note?: string };
  steer: string | { text: string; now?: boolean };
  decide: { kind?: string; path?: string; choice: string; text?: string };
  restore: { checkpoint: Checkpoint; paths?: string[] };
  undoRestore: Empty;
  /** Of our own: undoes the effect of a step; without one, the last that can be undone. */
  compensate: { step?: number };
  fork: { checkpoint: Checkpoint };
  human: Human;
  until: Until;
  sleep: number;
  hold: Point;
  release: Point;
  fault: Fault;
  kill: Empty;
  reopen: Empty;
  clock: { advanceMs: number };
}

export type Empty = Record<string, never>;
export type Verb = keyof Verbs;

export interface Modifiers {
  withinMs?: number;
  noWait?: boolean;
  /** Name given by `start: { as }`. */
  run?: string;
}

/** Exactly one verb. */
export type Action = { [V in Verb]: { [K in V]: Verbs[V] } & Modifiers }[Verb];

/** An action with its verb told apart, as the player works with it. */
export type Step = { [V in Verb]: { verb: V; value: Verbs[V]; modifiers: Modifiers } }[Verb];

export interface TextCheck {
  contains?: string[];
  once?: string[];
  not?: string[];
  inOrder?: string[];
  maxChars?: number;
}

export type FileCheck = null | Content | { same: true } | { contains: string[]; not?: string[] } | { mode: string };

export interface StepCheck {
  n?: number;
  tool?: string;
  outcome: OneOf<string>;
  effect?: OneOf<string>;
}

export interface DecisionCheck {
  kind: string;
  path?: string;
  state?: OneOf<string>;
}

export interface ReceiptCheck {
  intent: OneOf<string>;
  authority?: OneOf<string>;
  recovery?: OneOf<string>;
  resumable?: boolean;
  /** Text that the one-line message contains, or a text check of it. */
  message?: OneOf<string> | TextCheck;
}

export interface NoteCheck {
  text: string;
  state: OneOf<string>;
}

export interface Expect {
  status?: OneOf<string>;
  files?: ByPath<OneOf<FileCheck>>;
  onlyChanged?: string[];
  buffers?: ByPath<{ text: string; dirty: boolean }>;
  steps?: StepCheck[];
  requests?: { count?: number; max?: number; last?: TextCheck; first?: TextCheck; afterResume?: TextCheck };
  reconcile?: ByPath<OneOf<string>>;
  decisions?: DecisionCheck[];
  receipts?: ReceiptCheck[];
  notes?: NoteCheck[];
  processes?: 'none' | 'named';
  settledWithinMs?: Record<string, number>;
  storage?: { notContains?: string[]; maxBytes?: number };
  runs?: Record<string, OneOf<string>>;
}

export interface Scenario {
  id: string;
  title: string;
  kind: string;
  hosts?: HostName[];
  setup: Setup;
  run: RunSetup;
  script: Action[];
  expect: Expect;
}

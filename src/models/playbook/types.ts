/** The arguments of each tool by name; what a playbook is checked against. */
export type ToolArguments = Readonly<
  Record<string, { readonly required: readonly string[]; readonly optional: readonly string[] }>
>;

export interface PlaybookCall {
  tool: string;
  with: Record<string, unknown>;
}

export interface PlaybookStep extends PlaybookCall {
  /** Given, or made of the tool and its path. */
  title: string;
  /** What an overlap becomes; default: ask. */
  onConflict?: 'ask' | 'skip' | 'stop';
  /** The run pauses here and waits for the human. */
  pauseBefore?: boolean;
  /** Wait before the step, in seconds. */
  delay_s?: number;
  /** Compensation. */
  undo?: PlaybookCall;
}

export interface Playbook {
  goal: string;
  steps: PlaybookStep[];
}

/** Something the author has to change. Lines and columns count from 1, columns in UTF-16 units; the end is exclusive. */
export interface PlaybookProblem {
  /** One sentence that says what to do. */
  message: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** A problem by offsets into the source, before it gets lines. */
export interface Flaw {
  message: string;
  start: number;
  end: number;
}

interface Place {
  start: number;
  end: number;
}

/** What both formats are read into: plain values with their places. */
export type Tree =
  | (Place & { kind: 'map'; entries: { key: string; keyPlace: Place; value: Tree }[] })
  | (Place & { kind: 'list'; items: Tree[] })
  | (Place & { kind: 'value'; value: string | number | boolean | null });

/** `flaws` is empty exactly when the source is well-formed. */
export interface Reading {
  tree: Tree | undefined;
  flaws: Flaw[];
}

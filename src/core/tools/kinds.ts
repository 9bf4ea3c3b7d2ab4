/** What each tool may do to the world; the cancellation contract of `product.md`. One table for code, prompt and screen. */
import type { EffectKind, Phase, Step } from '../run/state';
import { isServerTool } from '../toolNames';

export interface Contract {
  effect: EffectKind;
  /** `now`: safe at any instant; `boundary`: short, finishes; `verify`: can be cut, then checked; `never`: finishes. */
  cancel: 'now' | 'boundary' | 'verify' | 'never';
  retry: 'safe' | 'unsafe';
  phase: Phase;
  /** What it did can be looked up afterwards. */
  verifiable?: boolean;
  /** A tool of the same server that takes the effect back; `${name}` in texts stands for an argument of the call. */
  compensate?: { tool: string; with: Record<string, unknown> };
}

const reading: Contract = { effect: 'none', cancel: 'now', retry: 'safe', phase: 'reading' };
const writing: Contract = { effect: 'workspace', cancel: 'boundary', retry: 'unsafe', phase: 'committing' };

export const CONTRACTS: Readonly<Record<string, Contract>> = {
  read_file: reading,
  list_files: reading,
  search_text: reading,
  get_diagnostics: reading,
  write_file: writing,
  edit_file: writing,
  delete_file: writing,
  move_file: writing,
  run_command: { effect: 'process', cancel: 'verify', retry: 'unsafe', phase: 'callingExternal' },
  update_plan: { effect: 'none', cancel: 'boundary', retry: 'safe', phase: 'thinking' },
  ask_human: { effect: 'none', cancel: 'now', retry: 'safe', phase: 'waitingForCallback' },
  finish: { effect: 'none', cancel: 'boundary', retry: 'safe', phase: 'finalizing' },
};

/** Of a tool of a server, until the server and the settings have said more: the careful assumption. */
export const SERVER_TOOL: Contract = {
  effect: 'external',
  cancel: 'verify',
  retry: 'unsafe',
  phase: 'callingExternal',
};

const unknownTool: Contract = { effect: 'none', cancel: 'now', retry: 'safe', phase: 'thinking' };

export const contractOf = (tool: string): Contract =>
  isServerTool(tool) ? SERVER_TOOL : Object.hasOwn(CONTRACTS, tool) ? (CONTRACTS[tool] ?? unknownTool) : unknownTool;

/** Of a step: what its tool's server said when the call began, else what the name says. */
export const contractOfStep = (step: Pick<Step, 'tool' | 'contract'>): Contract =>
  step.contract ?? contractOf(step.tool);

const EFFECT: Record<EffectKind, string> = {
  none: 'changes nothing',
  workspace: 'changes files of the workspace',
  process: 'runs a process',
  external: 'may change another system',
};
const CANCEL: Record<Contract['cancel'], string> = {
  now: 'can be cut at any instant',
  boundary: 'short; a stop lets it finish',
  verify: 'a stop cuts it, and what it did must then be checked',
  never: 'cannot be stopped once it has begun; a stop waits for it',
};

/** The contract in the words a model reads; one line. */
export const inWords = ({ effect, cancel, retry, compensate }: Contract): string =>
  `Effect: ${EFFECT[effect]}. Cancel: ${CANCEL[cancel]}. Retry: ${retry}.${compensate ? ' The developer can have it undone.' : ''}`;

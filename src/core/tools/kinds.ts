/** What each tool may do to the world; the cancellation contract of `product.md`. One table for code, prompt and screen. */
import type { EffectKind, Phase } from '../run/state';

export interface Contract {
  effect: EffectKind;
  /** `now`: safe at any instant; `boundary`: short, finishes; `verify`: can be cut, then checked; `never`: finishes. */
  cancel: 'now' | 'boundary' | 'verify' | 'never';
  retry: 'safe' | 'unsafe';
  phase: Phase;
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

const unknownTool: Contract = { effect: 'none', cancel: 'now', retry: 'safe', phase: 'thinking' };

export const contractOf = (tool: string): Contract =>
  Object.hasOwn(CONTRACTS, tool) ? (CONTRACTS[tool] ?? unknownTool) : unknownTool;

/**
 * What the human agrees to when they undo a step: the very call, in whole. An approval that asks for nothing beyond it is answered
 * by that; one that shows more (lines of theirs, a secret or sensitive path, a text) is asked for itself. Pure.
 */
import type { UndoCall } from '../../core/run/compensable';
import type { Decision } from '../../core/run/state';
import { isServerTool } from '../../core/toolNames';
import { callWords } from './call';

/** As much as a dialog shows without scrolling away. */
const LONGEST = 1500;

const ASKS_COMMANDS = 'Run this command?';
/** The one reason for a deletion that says no more than that it is one. */
const ASKS_DELETIONS = 'Deletions are asked about (holdfast.approvals).';

export interface Agreement {
  /** What is shown. */
  text: string;
  /** All of the call is in it. */
  whole: boolean;
}

const valueOf = (args: unknown, key: string): unknown =>
  typeof args === 'object' && args !== null ? Reflect.get(args, key) : undefined;

export function agreement({ tool, args }: UndoCall): Agreement {
  const command = valueOf(args, 'command');
  if (tool === 'run_command' && typeof command === 'string') {
    const where = valueOf(args, 'cwd');
    const folder = typeof where === 'string' && where !== '' && where !== '.' ? where : 'the workspace folder';
    const text = `This runs in ${folder}:\n${command.slice(0, LONGEST)}`;
    return { text, whole: command.length <= LONGEST };
  }
  if (isServerTool(tool)) {
    const shown = JSON.stringify(args, null, 2) ?? 'nothing';
    const text = `${callWords(tool, {})} with:\n${shown.slice(0, LONGEST)}`;
    return { text, whole: shown.length <= LONGEST };
  }
  return { text: callWords(tool, args), whole: tool === 'delete_file' };
}

/** The approval of the undoing step asks for nothing that was not agreed to. */
export function isAgreed(d: Decision, undo: UndoCall): boolean {
  if (d.kind !== 'approval' || d.state !== 'pending' || d.humanLines || !agreement(undo).whole) return false;
  // Never offered where a path is sensitive or secret, or lines are the human's.
  const plain = d.choices.some(({ id }) => id === 'grantForRun');
  const command = valueOf(undo.args, 'command');
  if (undo.tool === 'run_command')
    return plain && d.title === ASKS_COMMANDS && typeof command === 'string' && d.detail.startsWith(`${command}\n`);
  if (isServerTool(undo.tool)) return plain && d.title === `Call ${undo.tool}?`;
  return (
    undo.tool === 'delete_file' &&
    d.title === `Delete ${String(valueOf(undo.args, 'path'))}?` &&
    d.detail === ASKS_DELETIONS
  );
}

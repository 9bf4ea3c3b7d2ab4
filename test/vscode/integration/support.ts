/** What the integration tests share: the extension under test, files of the workspace, settings, patience. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commands, ConfigurationTarget, extensions, Position, Uri, window, workspace, type TextDocument } from 'vscode';
import type { HoldfastCore } from '../../../src/core/api';
import type { Refusal } from '../../../src/core/errors';
import { FINAL, type RunState, type RunStatus } from '../../../src/core/run/state';
import type { HoldfastApi } from '../../../src/ui';
import type { CommandHandlers, CommandId } from '../../../src/vscode/ids';

export const LIMIT_MS = 60_000;

export const extension = extensions.getExtension<HoldfastApi & { test: { core: HoldfastCore } }>('holdfast.holdfast');

export const folder = realpathSync(process.env['HOLDFAST_TEST_FOLDER'] ?? '');

export const at = (name: string): string => path.join(folder, name);
export const uri = (name: string): Uri => Uri.file(at(name));
export const bytes = (name: string): Buffer => readFileSync(at(name));
export const text = (name: string): string => readFileSync(at(name), 'utf8');

/** As another program does it: whole, by a rename. */
export function put(name: string, content: string | Uint8Array): void {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  const aside = path.join(folder, '..', `aside-${process.pid}`);
  writeFileSync(aside, content);
  renameSync(aside, at(name));
}

export async function api(): Promise<HoldfastApi & { test: { core: HoldfastCore } }> {
  assert.ok(extension, 'the extension is there');
  return extension.activate();
}

/** Calls a command as another extension does. */
export async function call<K extends CommandId>(
  id: K,
  ...given: Parameters<CommandHandlers[K]>
): Promise<Awaited<ReturnType<CommandHandlers[K]>>> {
  return commands.executeCommand(id, ...given) as unknown as Awaited<ReturnType<CommandHandlers[K]>>;
}

export function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, 'refused') === true;
}

/** The answer, which is no refusal. */
export function granted<T>(answer: T | Refusal | undefined): T {
  assert.ok(answer !== undefined, 'an answer');
  if (isRefusal(answer)) assert.fail(`refused: ${answer.message}`);
  return answer;
}

export async function eventually<T>(probe: () => T | Promise<T>, what: string, limitMs = LIMIT_MS): Promise<T> {
  for (const end = Date.now() + limitMs; ; await sleep(20)) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) assert.fail(`waited ${limitMs / 1000} s in vain until ${what}`);
  }
}

export async function runIs(runId: string, ...wanted: RunStatus[]): Promise<RunState> {
  const { core } = (await api()).test;
  let state: RunState | undefined;
  await eventually(
    () => (state = core.get(runId)) !== undefined && (wanted.includes(state.status) || FINAL.has(state.status)),
    `the run is ${wanted.join(' or ')}`,
  );
  assert.ok(state);
  assert.ok(wanted.includes(state.status), `the run is ${state.status} (${state.reason?.text ?? 'no reason'})`);
  return state;
}

/** Opens a document in an editor. */
export async function open(name: string): Promise<TextDocument> {
  const document = await workspace.openTextDocument(uri(name));
  await window.showTextDocument(document, { preview: false });
  return document;
}

/**
 * Types as a human: through the editor, at a place counted from 0. A key is never refused, but `edit` is when the text
 * changes under it (the editor just read the file again): then it is pressed once more.
 */
export async function type(document: TextDocument, line: number, character: number, words: string): Promise<void> {
  const editor = await window.showTextDocument(document, { preview: false });
  const press = (): Thenable<boolean> =>
    editor.edit((edit) => {
      edit.insert(new Position(line, character), words);
    });
  assert.ok((await press()) || (await press()) || (await press()), 'typed');
}

const changed = new Map<string, unknown>();

/** User settings, until `restoreSettings`. */
export async function setting(key: string, value: unknown): Promise<void> {
  if (!changed.has(key)) changed.set(key, workspace.getConfiguration().inspect(key)?.globalValue);
  await workspace.getConfiguration().update(key, value, ConfigurationTarget.Global);
  const read = (): unknown => workspace.getConfiguration().inspect(key)?.globalValue;
  await eventually(() => JSON.stringify(read()) === JSON.stringify(value), `${key} is set`);
}

export async function restoreSettings(): Promise<void> {
  const before = [...changed];
  for (const [key, value] of before) await setting(key, value);
  changed.clear();
}

/** Unsaved text is given up, editors are closed, runs are ended and deleted. */
export async function clean(): Promise<void> {
  const { core } = (await api()).test;
  for (const { runId } of core.runs()) {
    await core.load(runId);
    await core.abort({ runId });
    await core.deleteRun({ runId });
  }
  for (const document of workspace.textDocuments) {
    if (!document.isDirty) continue;
    await window.showTextDocument(document, { preview: false });
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await commands.executeCommand('workbench.action.closeAllEditors');
  await restoreSettings();
}

export interface PlaybookStep {
  undo?: { tool: string; with: object };
  title?: string;
  tool: string;
  with: object;
  pauseBefore?: boolean;
  delay_s?: number;
  onConflict?: 'ask' | 'skip' | 'stop';
}

/** Starts a playbook by its file, as the explorer does. */
export async function startPlaybook(name: string, steps: PlaybookStep[], goal = `Play ${name}`): Promise<string> {
  const file = `${name}.playbook.json`;
  put(file, JSON.stringify({ goal, steps }));
  return granted(await call('holdfast.runPlaybook', uri(file))).runId;
}

/**
 * Every id the manifest and the code share, in one place, with its types. `test/unit/manifest.test.ts` proves that both
 * sides name the same ones. Imports types only, so that plain Node can read it.
 */
import type { Uri } from 'vscode';
import type { KillResult, ResumeResult, SteerResult, GuardResult } from '../core/api';
import type { ForkRequest } from '../core/checkpoints/fork';
import type { RestoreRequest, RestoreResult, UndoResult } from '../core/checkpoints/types';
import type { ExportResult } from '../core/commands/exportRun';
import type { ImportResult } from '../core/commands/importRun';
import type { GuardRequest } from '../core/run/guards';
import type { Refusal } from '../core/errors';
import type { NoteState, Receipt } from '../core/run/state';

export const CATEGORY = 'Holdfast';
export const CONTAINER = 'holdfast';

// ---------------------------------------------------------------- commands

export interface RunTarget {
  runId?: string;
}
export interface StartArgument {
  goal?: string;
  playbook?: Uri;
  agent?: string;
  model?: string;
}
export interface SteerArgument extends RunTarget {
  text: string;
  now?: boolean;
}
export interface HandBackArgument extends RunTarget {
  note?: string;
}
export interface DecideArgument {
  decisionId: string;
  choice: string;
  text?: string;
}
export interface KillArgument extends RunTarget {
  /** Default: the command the run waits for, else the last in the background. */
  stepId?: string;
}
export type GuardArgument = RunTarget & GuardRequest;
export interface TransferArgument extends RunTarget {
  /** The file to write, or to read: a full path, or the URI of a file. */
  target?: Uri | string;
  /** For an export: what stands there may be replaced. */
  overwrite?: boolean;
}

export interface PathArgument extends RunTarget {
  path: string;
  /** `start`: before the run. A number: the boundary after that step. Default: the last. */
  checkpoint?: 'start' | number;
}

type Started = { runId: string };
type Answer<T> = Promise<T | Refusal | undefined>;

/**
 * Handlers by command id. `undefined` as an answer: the human closed a question the command had asked.
 * Called without an argument (palette, button, key) a command speaks to the human; called with one it only answers.
 */
export interface CommandHandlers {
  'holdfast.startRun': (argument?: StartArgument) => Answer<Started>;
  'holdfast.runPlaybook': (playbook?: Uri, context?: unknown) => Answer<Started>;
  'holdfast.newPlaybook': () => Answer<void>;
  'holdfast.pause': (argument?: RunTarget) => Answer<Receipt>;
  'holdfast.resume': (argument?: RunTarget) => Answer<ResumeResult>;
  'holdfast.steer': (argument?: SteerArgument) => Answer<SteerResult>;
  'holdfast.addGuard': (argument?: GuardArgument) => Answer<GuardResult>;
  'holdfast.abort': (argument?: RunTarget) => Answer<Receipt>;
  'holdfast.forceStop': (argument?: RunTarget) => Answer<Receipt>;
  'holdfast.killCommand': (argument?: KillArgument, context?: unknown) => Answer<KillResult>;
  'holdfast.compensate': (argument?: KillArgument, context?: unknown) => Answer<Receipt | { waitsFor: string[] }>;
  'holdfast.takeOver': (argument?: RunTarget) => Answer<Receipt>;
  'holdfast.handBack': (argument?: HandBackArgument) => Answer<ResumeResult>;
  'holdfast.decide': (argument?: DecideArgument) => Answer<{ state: string }>;
  'holdfast.openTranscript': (argument?: RunTarget) => Answer<void>;
  'holdfast.openHandover': (argument?: RunTarget) => Answer<void>;
  'holdfast.openReceipt': (argument?: RunTarget) => Answer<void>;
  'holdfast.showReconcile': (argument?: RunTarget) => Answer<void>;
  'holdfast.showLog': () => Answer<void>;
  'holdfast.showOutput': () => Answer<void>;
  'holdfast.showMcpServers': () => Answer<void>;
  'holdfast.compareWithCheckpoint': (argument?: PathArgument, context?: unknown) => Answer<void>;
  'holdfast.showCheckpoint': (item?: unknown) => Answer<void>;
  'holdfast.restoreCheckpoint': (argument?: RestoreRequest, context?: unknown) => Answer<RestoreResult>;
  'holdfast.undoRestore': (argument?: { undo?: string | null }) => Answer<UndoResult>;
  /** Settles when the changes are shown. */
  'holdfast.reviewChanges': (argument?: RunTarget, context?: unknown) => Answer<void>;
  /** From the title of the diff that a restore or a review is shown in. */
  'holdfast.chooseChanges': () => Answer<RestoreResult>;
  'holdfast.forkRun': (argument?: ForkRequest, context?: unknown) => Answer<{ runId: string }>;
  'holdfast.exportRun': (argument?: TransferArgument, context?: unknown) => Answer<ExportResult>;
  'holdfast.importRun': (argument?: TransferArgument) => Answer<ImportResult>;
  'holdfast.deleteRun': (argument?: RunTarget) => Answer<{ deleted: true }>;
  'holdfast.takeControlHere': () => Answer<{ taken: true }>;
  'holdfast.pinRun': (argument?: RunTarget) => Answer<{ pinned: boolean }>;
  'holdfast.unpinRun': (argument?: RunTarget) => Answer<{ pinned: boolean }>;
  'holdfast.setApiKey': () => Answer<void>;
  'holdfast.showActions': () => Answer<void>;
  /** Items of our own views only: hidden from the palette. */
  'holdfast.removeGuard': (item?: unknown) => Answer<GuardResult>;
  'holdfast.editNote': (item?: unknown) => Answer<{ noteId: string; state: NoteState }>;
  'holdfast.withdrawNote': (item?: unknown) => Answer<{ noteId: string; state: NoteState }>;
  'holdfast.answer': (item?: unknown) => Answer<{ state: string }>;
  /** From the title of the editor whose result is meant. */
  'holdfast.writeResult': (uri?: Uri) => Answer<{ state: string }>;
  'holdfast.showChange': (item?: unknown) => Answer<void>;
  'holdfast.showFileChange': (item?: unknown) => Answer<void>;
  'holdfast.saveFile': (item?: unknown) => Answer<void>;
}
export type CommandId = keyof CommandHandlers;

/** A record instead of a list: leaving one out is a compile error. */
const commandIds: Record<CommandId, 'palette' | 'item'> = {
  'holdfast.startRun': 'palette',
  'holdfast.runPlaybook': 'palette',
  'holdfast.newPlaybook': 'palette',
  'holdfast.pause': 'palette',
  'holdfast.resume': 'palette',
  'holdfast.steer': 'palette',
  'holdfast.addGuard': 'palette',
  'holdfast.abort': 'palette',
  'holdfast.forceStop': 'palette',
  'holdfast.killCommand': 'palette',
  'holdfast.compensate': 'palette',
  'holdfast.takeOver': 'palette',
  'holdfast.handBack': 'palette',
  'holdfast.decide': 'palette',
  'holdfast.openTranscript': 'palette',
  'holdfast.openHandover': 'palette',
  'holdfast.openReceipt': 'palette',
  'holdfast.showReconcile': 'palette',
  'holdfast.showLog': 'palette',
  'holdfast.showOutput': 'palette',
  'holdfast.showMcpServers': 'palette',
  'holdfast.compareWithCheckpoint': 'palette',
  'holdfast.exportRun': 'palette',
  'holdfast.importRun': 'palette',
  'holdfast.deleteRun': 'palette',
  'holdfast.takeControlHere': 'palette',
  'holdfast.pinRun': 'palette',
  'holdfast.unpinRun': 'palette',
  'holdfast.setApiKey': 'palette',
  'holdfast.showActions': 'palette',
  'holdfast.restoreCheckpoint': 'palette',
  'holdfast.undoRestore': 'palette',
  'holdfast.reviewChanges': 'palette',
  'holdfast.forkRun': 'palette',
  'holdfast.chooseChanges': 'item',
  'holdfast.showCheckpoint': 'item',
  'holdfast.removeGuard': 'item',
  'holdfast.editNote': 'item',
  'holdfast.withdrawNote': 'item',
  'holdfast.answer': 'item',
  'holdfast.writeResult': 'item',
  'holdfast.showChange': 'item',
  'holdfast.showFileChange': 'item',
  'holdfast.saveFile': 'item',
};
export const COMMANDS = Object.keys(commandIds) as CommandId[];
export const ITEM_COMMANDS = COMMANDS.filter((id) => commandIds[id] === 'item');

// ---------------------------------------------------------------- views, context keys

export const VIEWS = {
  run: 'holdfast.run',
  steer: 'holdfast.steer',
  checkpoints: 'holdfast.checkpoints',
  history: 'holdfast.history',
} as const;

export interface ContextValues {
  'holdfast.status': string;
  'holdfast.control': string;
  'holdfast.hasRun': boolean;
  'holdfast.needsHuman': boolean;
  'holdfast.hasCommand': boolean;
  /** A step of the run names what would undo it, and now is a time to. */
  'holdfast.canUndo': boolean;
  /** A step is being undone. */
  'holdfast.undoing': boolean;
  /** The diff in front shows what a restore would change, or what the run did. */
  'holdfast.showsChanges': boolean;
}
export type ContextKey = keyof ContextValues;
const contextKeys: Record<ContextKey, true> = {
  'holdfast.status': true,
  'holdfast.control': true,
  'holdfast.hasRun': true,
  'holdfast.needsHuman': true,
  'holdfast.hasCommand': true,
  'holdfast.canUndo': true,
  'holdfast.undoing': true,
  'holdfast.showsChanges': true,
};
export const CONTEXT_KEYS = Object.keys(contextKeys) as ContextKey[];

/** `contextValue` of tree items: what their inline actions are bound to. */
export const ITEMS = {
  decision: 'holdfast.decision',
  decisionWithChange: 'holdfast.decision.change',
  queuedNote: 'holdfast.note.queued',
  activeGuard: 'holdfast.guard.active',
  command: 'holdfast.command',
  undoable: 'holdfast.step.undoable',
  file: 'holdfast.file',
  unsavedFile: 'holdfast.file.unsaved',
  checkpoint: 'holdfast.checkpoint',
  run: 'holdfast.run.open',
  endedRun: 'holdfast.run.ended',
  pinnedRun: 'holdfast.run.open.pinned',
  pinnedEndedRun: 'holdfast.run.ended.pinned',
} as const;

// ---------------------------------------------------------------- settings

/** Type of each setting; the scope decides from where its value may come (`settings.ts`). */
export interface SettingValues {
  'holdfast.model': 'auto' | 'playbook' | 'openai';
  'holdfast.openai.baseUrl': string;
  'holdfast.openai.modelId': string;
  'holdfast.approvals': 'ask' | 'edits' | 'auto';
  'holdfast.approvalTtlMinutes': number;
  'holdfast.commands.allow': string[][];
  'holdfast.commands.deny': string[][];
  'holdfast.protectedPaths': string[];
  'holdfast.sensitivePaths': string[];
  'holdfast.secretPaths': string[];
  'holdfast.unsavedOnResume': 'ask' | 'save' | 'keep';
  'holdfast.formatOnWrite': boolean;
  'holdfast.humanLines': 'ask' | 'warn' | 'off';
  'holdfast.markHumanLines': boolean;
  'holdfast.stopGraceMs': number;
  'holdfast.pauseCommands': 'freeze' | 'finish' | 'end';
  /** Checked where they are read: a server's entry may be anything a human can type. */
  'holdfast.mcp.servers': Record<string, unknown>;
  'holdfast.mcp.tools': Record<string, unknown>;
  'holdfast.checkpoints.maxMegabytes': number;
  'holdfast.checkpoints.maxAgeDays': number;
  'holdfast.limits': { steps?: number; minutes?: number; tokens?: number };
}
export type SettingId = keyof SettingValues;
/**
 * `machine`: never taken from a workspace. `window`: as VS Code merges it; `resource`: so for each file. `united`: the values of all scopes
 * together. `strictest`: a workspace may tighten it, never loosen.
 */
export type SettingOrigin = 'machine' | 'window' | 'resource' | 'united' | 'strictest';
export const SETTINGS: Record<SettingId, SettingOrigin> = {
  'holdfast.model': 'machine',
  'holdfast.openai.baseUrl': 'machine',
  'holdfast.openai.modelId': 'machine',
  'holdfast.approvals': 'machine',
  'holdfast.approvalTtlMinutes': 'machine',
  'holdfast.commands.allow': 'machine',
  'holdfast.commands.deny': 'machine',
  'holdfast.protectedPaths': 'united',
  'holdfast.sensitivePaths': 'united',
  'holdfast.secretPaths': 'united',
  'holdfast.unsavedOnResume': 'window',
  'holdfast.formatOnWrite': 'resource',
  'holdfast.humanLines': 'strictest',
  'holdfast.markHumanLines': 'window',
  'holdfast.stopGraceMs': 'machine',
  'holdfast.pauseCommands': 'machine',
  'holdfast.mcp.servers': 'machine',
  'holdfast.mcp.tools': 'machine',
  'holdfast.checkpoints.maxMegabytes': 'machine',
  'holdfast.checkpoints.maxAgeDays': 'machine',
  'holdfast.limits': 'machine',
};

// ---------------------------------------------------------------- schemes, languages, secrets

export const SCHEMES = {
  document: 'holdfast-document',
  transcript: 'holdfast-transcript',
  blob: 'holdfast-blob',
  result: 'holdfast-result',
} as const;
/** Language of the documents made from a run: headings and diffs coloured, no links into commands. */
export const LANGUAGE = 'holdfast-document';
export const PLAYBOOK_GLOB = '**/*.playbook.{json,yaml,yml}';
export const PLAYBOOK_NAME = /\.playbook\.(json|ya?ml)$/i;
export const SECRETS = { openai: 'holdfast.openai.key' } as const;

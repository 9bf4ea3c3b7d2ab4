/** `Settings` on VS Code's configuration, read anew each time. */
import { workspace, type Uri } from 'vscode';
import type { Settings } from '../core/ports';
import { SETTINGS, type SettingId, type SettingValues } from './ids';
import { inspectSetting } from './register';
import { atLeast, oneOf, strictest, united, valueOf, vectors } from './scopes';

function read<K extends SettingId>(id: K): SettingValues[K] | undefined {
  const origin = SETTINGS[id];
  return valueOf(inspectSetting<SettingValues[K]>(id), origin === 'window' ? origin : 'machine');
}

const everywhere = (id: SettingId): string[] =>
  united([inspectSetting(id), ...(workspace.workspaceFolders ?? []).map((folder) => inspectSetting(id, folder.uri))]);

const text = (id: 'holdfast.openai.baseUrl' | 'holdfast.openai.modelId'): string | undefined => {
  const value: unknown = read(id);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

/** What drives a run; read by the composition root for the models bundle. */
export const modelSettings = {
  /** undefined: nothing was said, the first that is usable. */
  provider: (): string | undefined => {
    const value: unknown = read('holdfast.model');
    return typeof value === 'string' && value !== '' && value !== 'auto' ? value : undefined;
  },
  baseUrl: (): string | undefined => text('holdfast.openai.baseUrl'),
  modelId: (): string | undefined => text('holdfast.openai.modelId'),
};

/** MCP servers and how their tools stand to cancellation; read by the composition root for their bundle. */
export const serverSettings = {
  servers: (): unknown => read('holdfast.mcp.servers'),
  tools: (): unknown => read('holdfast.mcp.tools'),
};

/** Does the editor's formatter have its turn after a write of the agent to this file? */
export const formatsOnWrite = (file: Uri): boolean =>
  valueOf(inspectSetting<boolean>('holdfast.formatOnWrite', file), 'resource') === true;

/** Are the human's lines marked in the editor? */
export const marksHumanLines = (): boolean => read('holdfast.markHumanLines') !== false;

const LIMITS = ['steps', 'minutes', 'tokens'] as const;

export class VscodeSettings implements Settings {
  approvals(): 'ask' | 'edits' | 'auto' {
    return oneOf(read('holdfast.approvals'), ['ask', 'edits', 'auto'], 'ask');
  }

  approvalTtlMinutes(): number {
    return atLeast(read('holdfast.approvalTtlMinutes'), 1, 60);
  }

  pauseCommands(): 'freeze' | 'finish' | 'end' {
    return oneOf(read('holdfast.pauseCommands'), ['freeze', 'finish', 'end'], 'freeze');
  }

  stopGraceMs(): number {
    return atLeast(read('holdfast.stopGraceMs'), 0, 2000);
  }

  unsavedOnResume(): 'ask' | 'save' | 'keep' {
    return oneOf(read('holdfast.unsavedOnResume'), ['ask', 'save', 'keep'], 'ask');
  }

  humanLines(): 'ask' | 'warn' | 'off' {
    return strictest(inspectSetting('holdfast.humanLines'), ['ask', 'warn', 'off'], 'ask');
  }

  protectedPaths(): readonly string[] {
    return everywhere('holdfast.protectedPaths');
  }

  sensitivePaths(): readonly string[] {
    return everywhere('holdfast.sensitivePaths');
  }

  secretPaths(): readonly string[] {
    return everywhere('holdfast.secretPaths');
  }

  commandsAllow(): readonly (readonly string[])[] {
    return vectors(read('holdfast.commands.allow'));
  }

  commandsDeny(): readonly (readonly string[])[] {
    return vectors(read('holdfast.commands.deny'));
  }

  checkpoints(): { maxMegabytes: number; maxAgeDays: number } {
    return {
      maxMegabytes: atLeast(read('holdfast.checkpoints.maxMegabytes'), 1, 512),
      maxAgeDays: atLeast(read('holdfast.checkpoints.maxAgeDays'), 1, 30),
    };
  }

  limits(): { steps?: number; minutes?: number; tokens?: number } {
    const given: unknown = read('holdfast.limits');
    const limits: { steps?: number; minutes?: number; tokens?: number } = {};
    if (typeof given !== 'object' || given === null) return limits;
    for (const name of LIMITS) {
      const value: unknown = Reflect.get(given, name);
      if (typeof value === 'number' && value > 0) limits[name] = value;
    }
    return limits;
  }
}

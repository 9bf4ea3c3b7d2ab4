/** Settings of a scenario on a host without VS Code: user over default, and from a workspace only what it may say. */
import type { Settings } from '../../../src/core/ports';
import { SETTINGS, type SettingId, type SettingValues } from '../../../src/vscode/ids';
import type { RunSetup, Setup } from '../types';

export function nodeSettings(setup: Pick<Setup, 'settings' | 'workspaceSettings'>, run: RunSetup): Settings {
  const user = new Map(Object.entries(setup.settings ?? {}));
  const workspace = new Map(Object.entries(setup.workspaceSettings ?? {}));
  const get = <K extends SettingId>(id: K, fallback: SettingValues[K]): SettingValues[K] => {
    const own = SETTINGS[id] === 'window' ? workspace.get(id) : undefined;
    return (own ?? user.get(id) ?? fallback) as SettingValues[K];
  };
  /** The values of all scopes are united, so that a workspace can only add. */
  const united = (id: SettingId): string[] => [
    ...new Set([
      ...((user.get(id) as string[] | undefined) ?? []),
      ...((workspace.get(id) as string[] | undefined) ?? []),
    ]),
  ];
  return {
    approvals: () => run.approvals ?? get('holdfast.approvals', 'auto'),
    approvalTtlMinutes: () => get('holdfast.approvalTtlMinutes', 60),
    pauseCommands: () => get('holdfast.pauseCommands', 'freeze'),
    stopGraceMs: () => get('holdfast.stopGraceMs', 2000),
    unsavedOnResume: () => get('holdfast.unsavedOnResume', 'ask'),
    humanLines: () => {
      const words = ['ask', 'warn', 'off'] as const;
      const said = [user.get('holdfast.humanLines') ?? 'ask', workspace.get('holdfast.humanLines')];
      return words.find((word) => said.includes(word)) ?? 'ask';
    },
    protectedPaths: () => united('holdfast.protectedPaths'),
    sensitivePaths: () => united('holdfast.sensitivePaths'),
    secretPaths: () => united('holdfast.secretPaths'),
    commandsAllow: () => get('holdfast.commands.allow', []),
    commandsDeny: () => get('holdfast.commands.deny', []),
    limits: () => get('holdfast.limits', {}),
    checkpoints: () => ({
      maxMegabytes: get('holdfast.checkpoints.maxMegabytes', 512),
      maxAgeDays: get('holdfast.checkpoints.maxAgeDays', 30),
    }),
  };
}

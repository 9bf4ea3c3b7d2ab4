/** Typed doors to VS Code's registries: nothing is registered or read by a bare string. */
import { commands, workspace, type Disposable, type Uri } from 'vscode';
import { COMMANDS, type CommandHandlers, type CommandId, type ContextKey, type ContextValues } from './ids';

/** All handlers at once: a missing one does not compile. */
export function registerCommands(handlers: CommandHandlers): Disposable[] {
  return COMMANDS.map((id) => commands.registerCommand(id, handlers[id] as (...given: unknown[]) => unknown));
}

export function execute<K extends CommandId>(
  id: K,
  ...given: Parameters<CommandHandlers[K]>
): ReturnType<CommandHandlers[K]> {
  return commands.executeCommand(id, ...given) as ReturnType<CommandHandlers[K]>;
}

/** Context keys; a value that did not change is not sent again. */
export class ContextKeys {
  private readonly sent = new Map<ContextKey, unknown>();

  set<K extends ContextKey>(key: K, value: ContextValues[K]): void {
    if (this.sent.get(key) === value) return;
    this.sent.set(key, value);
    void commands.executeCommand('setContext', key, value);
  }
}

export interface InspectedSetting<T> {
  default: T | undefined;
  user: T | undefined;
  workspace: T | undefined;
  folder: T | undefined;
}

export function inspectSetting<T>(id: string, resource?: Uri): InspectedSetting<T> {
  const seen = workspace.getConfiguration(undefined, resource ?? null).inspect<T>(id);
  return {
    default: seen?.defaultValue,
    user: seen?.globalValue,
    workspace: seen?.workspaceValue,
    folder: seen?.workspaceFolderValue,
  };
}

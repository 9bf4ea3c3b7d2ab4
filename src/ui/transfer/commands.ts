/** Export Run and Import Run: files are chosen in dialogs by the human, given by programs. */
import { basename } from 'node:path';
import { commands, ProgressLocation, Uri, window } from 'vscode';
import type { ExportResult } from '../../core/commands/exportRun';
import type { ImportResult } from '../../core/commands/importRun';
import type { Refusal } from '../../core/errors';
import type { RunState } from '../../core/run/state';
import { ARCHIVE_EXTENSION } from '../../core/transfer/archive';
import { type CommandHandlers, type TransferArgument, VIEWS } from '../../vscode/ids';
import { workspaceRoots } from '../../vscode/roots';
import { answered, byHuman, runOf, targetOf } from '../commands/target';
import type { Ui } from '../context';
import type { RunDocuments } from '../documents/runDocuments';
import { inform, isRefusal, type MessageAction } from '../messages';
import { differsHere, importedWords } from '../render/imported';
import { inMessage, sizeWords } from '../render/words';

type Transfers = 'holdfast.exportRun' | 'holdfast.importRun';

const FILTERS = { 'Exported runs': [ARCHIVE_EXTENSION] };

/** A path, or the URI of a file of this machine; undefined: neither. */
function fileIn(argument: TransferArgument | undefined): string | undefined {
  const given: unknown = argument?.target;
  if (typeof given === 'string') return given;
  return given instanceof Uri && given.scheme === 'file' ? given.fsPath : undefined;
}

/** A name that says what it is, in letters that every file system takes. */
function nameFor({ goal, runId }: RunState): string {
  const words = goal
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${words || runId}.${ARCHIVE_EXTENSION}`;
}

/** Beside the first folder: in it, the file would be a change of the workspace. */
function placeFor(name: string): Uri | undefined {
  const dir = workspaceRoots()[0]?.dir;
  return dir === undefined ? undefined : Uri.joinPath(Uri.file(dir), '..', name);
}

const during = <T>(title: string, work: () => Promise<T>): Promise<T> =>
  Promise.resolve(window.withProgress({ location: ProgressLocation.Notification, title }, work));

export function transferCommands(ui: Ui, documents: RunDocuments): Pick<CommandHandlers, Transfers> {
  const { core } = ui;

  async function askAndExport(run: RunState): Promise<ExportResult | Refusal | undefined> {
    const defaultUri = placeFor(nameFor(run));
    const options = {
      title: 'Export Run',
      saveLabel: 'Export',
      filters: FILTERS,
      ...(defaultUri ? { defaultUri } : {}),
    };
    const chosen = await window.showSaveDialog(options);
    if (!chosen) return undefined;
    // The dialog has asked about a file that is there already.
    const request = { runId: run.runId, target: chosen.fsPath, overwrite: true };
    const result = await during('Exporting the run', () => core.exportRun(request));
    if (isRefusal(result)) return result;
    const left = result.missing > 0 ? ` ${result.missing} contents were no longer stored and are not in it.` : '';
    const words = `The run is in ${basename(result.target)} (${sizeWords(result.bytes)}); permissions, keys and addresses are not.${left}`;
    void inform(words, { title: 'Show File', run: () => commands.executeCommand('revealFileInOS', chosen) });
    return result;
  }

  /** What differs is said, and shown when asked for, before anything goes on. */
  async function show(result: ImportResult, file: string): Promise<void> {
    await commands.executeCommand(`${VIEWS.run}.focus`, { preserveFocus: true });
    const differences: MessageAction = {
      title: 'Show Differences',
      run: () => documents.open('What Changed', result.runId),
    };
    const resume: MessageAction = { title: 'Resume', run: () => answered(true, core.resume({ runId: result.runId })) };
    const paused = result.status === 'paused';
    const shown = differsHere(result.from) ? [differences] : [];
    void inform(inMessage(importedWords(result.from, file, paused), 400), ...shown, ...(paused ? [resume] : []));
  }

  async function askAndImport(): Promise<ImportResult | Refusal | undefined> {
    const options = { title: 'Import Run', openLabel: 'Import', filters: FILTERS, canSelectMany: false };
    // Nothing is asked for that will be refused.
    if (ui.blocked()) return core.importRun({ target: '' });
    const [chosen] = (await window.showOpenDialog(options)) ?? [];
    if (!chosen) return undefined;
    const result = await during('Importing the run', () => core.importRun({ target: chosen.fsPath }));
    if (!isRefusal(result)) await show(result, basename(chosen.fsPath));
    return result;
  }

  return {
    'holdfast.exportRun': async (argument, context) => {
      const target = fileIn(argument);
      if (!byHuman(argument, context) && argument)
        return core.exportRun({ ...targetOf(argument), target: target ?? '', overwrite: argument.overwrite === true });
      const run = await runOf(ui, argument);
      return answered(true, isRefusal(run) ? Promise.resolve(run) : askAndExport(run));
    },
    'holdfast.importRun': async (argument) => {
      if (!byHuman(argument) && argument) {
        const result = await core.importRun({ target: fileIn(argument) ?? '' });
        ui.watch.refresh();
        return result;
      }
      const result = await answered(true, askAndImport());
      ui.watch.refresh();
      return result;
    },
  };
}

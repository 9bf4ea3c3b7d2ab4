/** Commands that show something of a run. */
import { window } from 'vscode';
import type { Refusal } from '../../core/errors';
import type { CommandHandlers, PathArgument, RunTarget } from '../../vscode/ids';
import { pathOf } from '../../vscode/roots';
import type { Ui } from '../context';
import { compareWithCheckpoint, showFileChange, showSince } from '../documents/compare';
import type { DocumentKind, RunDocuments } from '../documents/runDocuments';
import { refusal } from '../messages';
import { answered, byHuman, checkpointIn, fieldOf, runOf } from './target';

type Documents =
  | 'holdfast.openTranscript'
  | 'holdfast.openHandover'
  | 'holdfast.openReceipt'
  | 'holdfast.showReconcile'
  | 'holdfast.showLog'
  | 'holdfast.showOutput'
  | 'holdfast.showCheckpoint'
  | 'holdfast.showFileChange'
  | 'holdfast.compareWithCheckpoint';

export function documentCommands(ui: Ui, documents: RunDocuments): Pick<CommandHandlers, Documents> {
  async function show(kind: DocumentKind, argument: RunTarget | undefined): Promise<Refusal | undefined> {
    const run = await runOf(ui, argument);
    if ('refused' in run) return run;
    await documents.open(kind, run.runId);
    return undefined;
  }

  const open =
    (kind: DocumentKind) =>
    (argument?: RunTarget): Promise<void | Refusal | undefined> =>
      answered(byHuman(argument), show(kind, argument));

  /** The path in the argument, of the tree row, or of the active editor. */
  async function compare(argument: PathArgument | undefined): Promise<Refusal | undefined> {
    const active = window.activeTextEditor?.document.uri;
    const path = fieldOf(argument, 'path') ?? (active && pathOf(active));
    if (path === undefined) return refusal('badArgument', 'Open a file the run has touched, then compare it.');
    const run = await runOf(ui, argument);
    return 'refused' in run ? run : compareWithCheckpoint(ui.texts(), run, path, checkpointIn(argument) ?? 'last');
  }

  return {
    'holdfast.openTranscript': open('Transcript'),
    'holdfast.openHandover': open('Handover Brief'),
    'holdfast.openReceipt': open('Receipts'),
    'holdfast.showReconcile': open('What Changed'),
    'holdfast.showLog': () => Promise.resolve(ui.log.show()),
    'holdfast.showOutput': () =>
      answered(
        true,
        Promise.resolve(
          ui.output.show()
            ? undefined
            : refusal('noRun', 'No command has run since this window opened: the transcript has what ran before.'),
        ),
      ),
    'holdfast.showCheckpoint': async (item) => {
      const run = await runOf(ui, item as RunTarget | undefined);
      const checkpoint = checkpointIn(item);
      if ('refused' in run || typeof checkpoint !== 'number') return undefined;
      return answered(true, showSince(ui.texts(), run, checkpoint));
    },
    'holdfast.showFileChange': showFileChange,
    'holdfast.compareWithCheckpoint': (argument, context) => answered(byHuman(argument, context), compare(argument)),
  };
}

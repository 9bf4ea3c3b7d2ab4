/** Restore Files, Undo Restore and Review Changes: looked at first, chosen per file and per change, undoable with one button. */
import { commands, workspace, type Uri } from 'vscode';
import { lastBoundary } from '../../core/checkpoints/history';
import type { FilePlan, RestoreRequest, RestoreResult, UndoResult } from '../../core/checkpoints/types';
import type { Refusal } from '../../core/errors';
import type { RunState } from '../../core/run/state';
import { uriOf } from '../../vscode/roots';
import { closeTitled } from '../../vscode/tabs';
import type { Ui } from '../context';
import { blobUri } from '../documents/blobs';
import { inform, isRefusal, refusal, showRefusal } from '../messages';
import { chooseFiles, chooseHunks } from './choose';
import { choicesOf, leftAlone, outcome, type FileChoice } from './words';

type Picks = NonNullable<RestoreRequest['picks']>[number];

export interface Way {
  /** `review`: what the run did is shown, and nothing is picked ahead. */
  kind: 'restore' | 'review';
  checkpoint: number;
}

const WORDS = {
  restore: {
    title: 'Restore Files',
    placeholder: 'Pick the files that go back; the diff shows what would change',
    changes: 'Restore: now ↔ restored',
  },
  review: {
    title: 'Review Changes',
    placeholder: 'Pick the files whose changes to undo; nothing picked keeps them all',
    changes: 'Changes of the run: before ↔ now',
  },
} as const;

export class Restores {
  constructor(private readonly ui: Ui) {}

  /** Asks the human; undefined: they left it. */
  async ask(run: RunState, way: Way): Promise<RestoreResult | Refusal | undefined> {
    const { runId } = run;
    const { checkpoint, kind } = way;
    const preview = await this.ui.core.restoreCheckpoint({ runId, checkpoint, dryRun: true });
    if (isRefusal(preview)) return preview;
    const choices = choicesOf(preview.files, kind === 'restore');
    if (choices.length === 0) {
      const why = leftAlone(preview.files);
      return refusal(
        'badArgument',
        why === '' ? 'No file of the run differs from that checkpoint.' : `No file can be restored. ${why}`,
      );
    }
    await showDiff(choices, kind);
    const chosen = await chooseFiles(choices, WORDS[kind]);
    if (!chosen || chosen.length === 0) return undefined;
    const picks: Picks[] = [];
    const single = chosen.filter(
      (one) => one.single || (kind === 'review' && (one.choice.plan.hunks?.length ?? 0) > 1),
    );
    for (const [i, { choice }] of single.entries()) {
      const position = single.length > 1 ? ` (${i + 1} of ${single.length})` : '';
      const hunks = await chooseHunks(choice.plan, await linesOf(choice.plan), position);
      if (!hunks) return undefined;
      picks.push({ path: choice.plan.path, before: choice.plan.before, hunks });
    }
    const paths = chosen.flatMap(({ choice }) => choice.paths);
    const result = await this.ui.core.restoreCheckpoint({ runId, checkpoint, paths, picks });
    if (isRefusal(result)) return result;
    this.tell(result, checkpoint);
    // it showed what is so by now; a review goes on being one
    if (kind === 'restore') await closeTitled(WORDS[kind].changes);
    return result;
  }

  /** Never awaited: the message may stay as long as it likes. */
  private tell(result: RestoreResult, checkpoint: number): void {
    const { undo, restored } = result;
    const button =
      undo === null || restored.length === 0 ? [] : [{ title: 'Undo Restore', run: () => this.undo({ undo }) }];
    void inform(outcome(result, 'Restored', checkpoint), ...button);
  }

  /** For a button or the palette: says what became of it. */
  async undo(given?: { undo?: string | null }): Promise<UndoResult | Refusal> {
    const result = await this.ui.core.undoRestore(given);
    if (isRefusal(result)) showRefusal(result);
    else void inform(outcome(result, 'Undid the restore of'));
    return result;
  }

  /** All changes of a run against where it began; undoing a part of them is a restore to the start. */
  review(run: RunState): Promise<RestoreResult | Refusal | undefined> {
    return lastBoundary(run) === 0
      ? Promise.resolve(refusal('badArgument', 'The run has changed nothing.'))
      : this.ask(run, { kind: 'review', checkpoint: 0 });
  }
}

const isThere = (uri: Uri): Promise<boolean> =>
  Promise.resolve(workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );

/** What is there now: the file itself where there is one, so that it can be edited in the diff. */
async function nowOf(path: string): Promise<Uri> {
  const uri = uriOf(path);
  return uri && (await isThere(uri)) ? uri : blobUri(path, null);
}

async function showDiff(choices: readonly FileChoice[], kind: Way['kind']): Promise<void> {
  const rows = await Promise.all(
    choices.map(async ({ plan }) => {
      const now = await nowOf(plan.movedFrom ?? plan.path);
      const then = blobUri(plan.path, plan.after);
      const label = uriOf(plan.path) ?? then;
      return kind === 'restore' ? [label, now, then] : [label, then, now];
    }),
  );
  await commands.executeCommand('vscode.changes', WORDS[kind].changes, rows);
}

async function linesOf(plan: FilePlan): Promise<string[]> {
  const uri = uriOf(plan.path);
  const open = workspace.textDocuments.find((one) => one.uri.toString() === uri?.toString() && !one.isClosed);
  if (open) return open.getText().split(/\r?\n/);
  return uri ? (await workspace.decode(await workspace.fs.readFile(uri), { uri })).split(/\r?\n/) : [];
}

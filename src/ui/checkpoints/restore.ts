/**
 * Restore Files, Undo Restore and Review Changes: looked at first, in a diff that nothing covers; chosen per file and per change
 * when that is asked for; undoable with one button.
 */
import { commands, workspace } from 'vscode';
import type { FilePlan, RestoreRequest, RestoreResult, UndoResult } from '../../core/checkpoints/types';
import type { Refusal } from '../../core/errors';
import type { RunState } from '../../core/run/state';
import { uriOf } from '../../vscode/roots';
import type { Ui } from '../context';
import { inform, isRefusal, refusal, showRefusal, type MessageAction } from '../messages';
import { plural } from '../render/words';
import { chooseFiles, chooseHunks } from './choose';
import type { ShownChanges } from './shown';
import type { FileChoice, Way } from './words';

type Picks = NonNullable<RestoreRequest['picks']>[number];
type Restored = RestoreResult | Refusal | undefined;

const WORDS = {
  restore: { title: 'Restore Files', placeholder: 'Pick the files that go back' },
  review: { title: 'Undo Changes of the Run', placeholder: 'Pick the files whose changes to undo' },
} as const;

export class Restores {
  constructor(
    private readonly ui: Ui,
    private readonly shown: ShownChanges,
  ) {}

  /** Shows what would change, and offers to do it; nothing has changed when it settles. */
  async show(way: Way): Promise<Refusal | undefined> {
    const choices = await this.choices(way);
    if (isRefusal(choices)) return choices;
    await this.shown.show(choices, way);
    const whole = choices.filter((one) => one.picked);
    const all: MessageAction = {
      title: `Restore ${plural(whole.length, 'File')}`,
      run: () => this.say(this.restore(way, whole, [])),
    };
    const some: MessageAction = {
      title: way.kind === 'review' ? 'Undo Changes…' : 'Choose Files…',
      run: () => this.say(this.choose(way)),
    };
    void inform(this.ui.texts().shownWords(way, choices), ...(whole.length > 0 ? [all] : []), some);
    return undefined;
  }

  /** From the tab of the diff. */
  chooseShown(): Promise<Restored> {
    const way = this.shown.inFront;
    return way
      ? this.choose(way)
      : Promise.resolve(
          refusal('badArgument', 'That diff is from before: open it again with Restore Files or Review Changes.'),
        );
  }

  private async say(work: Promise<Restored>): Promise<void> {
    const result = await work;
    if (isRefusal(result)) showRefusal(result);
  }

  private async choices({ runId, checkpoint, kind }: Way): Promise<FileChoice[] | Refusal> {
    const preview = await this.ui.core.restoreCheckpoint({ runId, checkpoint, dryRun: true });
    if (isRefusal(preview)) return preview;
    const { choicesOf, leftAlone } = this.ui.texts();
    const choices = choicesOf(preview.files, kind === 'restore');
    if (choices.length > 0) return choices;
    const why = leftAlone(preview.files);
    return refusal(
      'badArgument',
      why === '' ? 'No file of the run differs from that checkpoint.' : `No file can be restored. ${why}`,
    );
  }

  /** Asks the human; undefined: they left it. */
  private async choose(way: Way): Promise<Restored> {
    const choices = await this.choices(way);
    if (isRefusal(choices)) return choices;
    const chosen = await chooseFiles(choices, WORDS[way.kind]);
    if (!chosen || chosen.length === 0) return undefined;
    const picks: Picks[] = [];
    const single = chosen.filter(
      (one) => one.single || (way.kind === 'review' && (one.choice.plan.hunks?.length ?? 0) > 1),
    );
    for (const [i, { choice }] of single.entries()) {
      const position = single.length > 1 ? ` (${i + 1} of ${single.length})` : '';
      const now = await linesOf(choice.plan);
      const labels = (choice.plan.hunks ?? []).map((hunk) => this.ui.texts().hunkLabel(hunk, now));
      const hunks = await chooseHunks(choice.plan, labels, position);
      if (!hunks) return undefined;
      picks.push({ path: choice.plan.path, before: choice.plan.before, hunks });
    }
    return this.restore(
      way,
      chosen.map(({ choice }) => choice),
      picks,
    );
  }

  private async restore(way: Way, chosen: readonly FileChoice[], picks: Picks[]): Promise<Restored> {
    const { runId, checkpoint } = way;
    const paths = chosen.flatMap((choice) => choice.paths);
    const result = await this.ui.core.restoreCheckpoint({ runId, checkpoint, paths, picks });
    if (isRefusal(result)) return result;
    // The offer to do it is answered, wherever it was.
    await commands.executeCommand('notifications.hideToasts');
    this.tell(result, checkpoint);
    // it showed what is so by now; a review goes on being one
    if (way.kind === 'restore') await this.shown.close(way);
    return result;
  }

  /** Never awaited: the message may stay as long as it likes. */
  private tell(result: RestoreResult, checkpoint: number): void {
    const { undo, restored } = result;
    const button =
      undo === null || restored.length === 0 ? [] : [{ title: 'Undo Restore', run: () => this.undo({ undo }) }];
    void inform(this.ui.texts().outcome(result, 'Restored', checkpoint), ...button);
  }

  /** For a button or the palette: says what became of it. */
  async undo(given?: { undo?: string | null }): Promise<UndoResult | Refusal> {
    const result = await this.ui.core.undoRestore(given);
    if (isRefusal(result)) showRefusal(result);
    else void inform(this.ui.texts().outcome(result, 'Undid the restore of'));
    return result;
  }

  /** All changes of a run against where it began; undoing a part of them is a restore to the start. */
  review(run: RunState): Promise<Refusal | undefined> {
    return this.ui.texts().lastBoundary(run) === 0
      ? Promise.resolve(refusal('badArgument', 'The run has changed nothing.'))
      : this.show({ runId: run.runId, kind: 'review', checkpoint: 0 });
  }
}

async function linesOf(plan: FilePlan): Promise<string[]> {
  const uri = uriOf(plan.path);
  const open = workspace.textDocuments.find((one) => one.uri.toString() === uri?.toString() && !one.isClosed);
  if (open) return open.getText().split(/\r?\n/);
  return uri ? (await workspace.decode(await workspace.fs.readFile(uri), { uri })).split(/\r?\n/) : [];
}

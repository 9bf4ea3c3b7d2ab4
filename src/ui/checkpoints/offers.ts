/** What the end of a run offers: its changes to review, its files to restore, and a fork for a note that came too late. */
import { isFinal, type RunState } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { execute } from '../../vscode/register';
import type { Ui } from '../context';
import { inform, isRefusal, showRefusal, type MessageAction } from '../messages';
import { inMessage, plural } from '../render/words';
import { Forks } from './fork';
import type { Restores } from './restore';

export class Offers extends Disposable {
  /** Status each run was last seen in, in this window. */
  private readonly seen = new Map<string, string>();
  private readonly offered = new Set<string>();

  constructor(
    private readonly ui: Ui,
    private readonly restores: Restores,
  ) {
    super();
    this._register(ui.watch.onDidChangeRun((state) => this.look(state)));
    const state = ui.watch.state;
    if (state) this.look(state);
  }

  private look(state: RunState): void {
    const before = this.seen.get(state.runId);
    this.seen.set(state.runId, state.status);
    // What another window's run ends with is offered there.
    if (!isFinal(state.status) || this.ui.core.heldBy()) return;
    // A run that had ended before this window saw it has made its offers.
    if (before === undefined) for (const note of state.notes) this.offered.add(note.id);
    else if (before !== state.status) this.offerFiles(state);
    this.late(state);
  }

  private offerFiles(state: RunState): void {
    const files = this.ui.texts().historyOf(state).size;
    if (files === 0) return;
    const { restores } = this;
    const say = (work: Promise<unknown>): Promise<void> =>
      work.then((result) => {
        if (isRefusal(result)) showRefusal(result);
      });
    const review: MessageAction = { title: 'Review Changes', run: () => say(restores.review(state)) };
    const restore: MessageAction = {
      title: 'Restore Files…',
      run: () => say(restores.show({ runId: state.runId, kind: 'restore', checkpoint: 0 })),
    };
    const changed = plural(files, 'file');
    if (state.status === 'aborted')
      void inform(`Aborted. The run had changed ${changed}; they stay as they are.`, restore, review);
    else if (state.status === 'completed') void inform(`Completed. The run changed ${changed}.`, review);
  }

  private late(state: RunState): void {
    const notes = state.notes.filter((note) => note.state === 'undelivered' && !this.offered.has(note.id));
    for (const note of notes) this.offered.add(note.id);
    // A playbook cannot read a note, in a fork neither.
    if (notes.length === 0 || state.model.fixed) return;
    const text = notes.map((note) => note.text).join('\n');
    const forks = new Forks(this.ui);
    void inform(
      `The run has ended; your note was not delivered: “${inMessage(text, 80)}”.`,
      {
        title: 'Continue in a Fork',
        run: async () => {
          const result = await forks.fork({ runId: state.runId, note: text });
          if (isRefusal(result)) showRefusal(result);
        },
      },
      { title: 'Open Transcript', run: () => execute('holdfast.openTranscript', { runId: state.runId }) },
    );
  }
}

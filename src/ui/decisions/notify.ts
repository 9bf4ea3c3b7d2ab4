/** One notification for what needs the human: a new decision, an interrupted run, a key that was refused. */
import { commands, window, type Event } from 'vscode';
import type { Holder } from '../../core/lease';
import { isFinal, type Decision, type RunState } from '../../core/run/state';
import { lastStop } from '../../core/run/stops';
import { Disposable } from '../../vscode/disposable';
import { execute } from '../../vscode/register';
import type { Ui } from '../context';
import { choicesOf, lookLabel } from './choices';
import { messageOf } from './words';
import { fitting, MORE } from './fitting';
import { showChange } from '../documents/compare';
import { complain, inform, warn, type MessageAction } from '../messages';
import { completedAfter, finishedSteps, inMessage, plural } from '../render/words';
import type { Answers } from './answer';

/** The steering view: where it is seen, a question stands there with all its answers. */
interface Cards {
  readonly isSeen: boolean;
  readonly onDidChangeSeen: Event<void>;
  focusQuestion(): Promise<void>;
}

export class Notifications extends Disposable {
  private readonly told = new Set<string>();
  /** Decisions whose message may still be on screen. */
  private readonly shown = new Set<string>();
  /** Messages with a question that nobody has pressed or closed: VS Code keeps them, also of questions that are settled. */
  private lying = 0;

  constructor(
    private readonly ui: Ui,
    private readonly answers: Answers,
    private readonly cards: Cards,
  ) {
    super();
    this._register(ui.watch.onDidChange((state) => state && this.look(state)));
    this._register(
      cards.onDidChangeSeen(() => {
        // The card has it all: the message beside it goes.
        if (cards.isSeen && this.shown.size > 0) this.hide();
        else if (!cards.isSeen && ui.watch.state) this.look(ui.watch.state);
      }),
    );
    const state = ui.watch.state;
    if (state) this.look(state);
  }

  private look(state: RunState): void {
    const holder = this.ui.core.heldBy();
    if (holder) return this.elsewhere(state, holder);
    const interrupted = state.status === 'paused' && state.reason?.code === 'interrupted';
    if (interrupted && this.first(`${state.runId}/interrupted/${lastStop(state)?.id}`)) this.interrupted(state);
    // What was left open by an interrupted run is asked when it resumes; one message is enough.
    if (!interrupted)
      for (const d of state.decisions) if (d.state === 'pending' && !this.told.has(d.id)) void this.askLater(d);
    this.stopped(state);
    this.hideSettled();
  }

  /** VS Code closes no message for an extension: those answered elsewhere are at least taken off the screen. */
  private hideSettled(): void {
    const settled = [...this.shown].filter((id) => this.answers.find(id)?.state !== 'pending');
    for (const id of settled) this.shown.delete(id);
    if (settled.length > 0 && this.shown.size === 0) this.hide();
  }

  private hide(): void {
    this.shown.clear();
    void commands.executeCommand('notifications.hideToasts');
  }

  /** Once per thing and window. */
  private first(key: string): boolean {
    if (this.told.has(key)) return false;
    this.told.add(key);
    return true;
  }

  /** An answer given at once (a program, the steering view) needs no message, and none does what stands as a card before one's eyes. */
  private async askLater(d: Decision): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (this.isDisposed || this.cards.isSeen || this.answers.find(d.id)?.state !== 'pending' || !this.first(d.id))
      return;
    await this.ask(d);
  }

  private async ask(d: Decision): Promise<void> {
    if (this.lying > 0) return this.askAgain(d);
    const press = (title: string, run: () => unknown): MessageAction => ({
      title,
      run: () => {
        this.shown.delete(d.id);
        return run();
      },
    });
    const run = this.ui.core.get(d.id.slice(0, d.id.lastIndexOf('/')));
    const answers = choicesOf(run, d, this.ui.drafts.begun).map((c) => ({
      id: c.id,
      ...press(c.label, () => this.answers.answer(d.id, c.id)),
    }));
    const own = d.kind === 'question' && d.freeText ? [press('Answer…', () => this.answers.answer(d.id, ''))] : [];
    // The editor of a conflict shows both sides.
    const merge = d.kind === 'conflict' && answers.some(({ id }) => id === 'edit');
    const look = lookLabel(run, d);
    const show = look !== undefined && !merge ? [press(look, () => this.showAndAskAgain(d))] : [];
    this.shown.add(d.id);
    const { shown, rest } = fitting([...answers, ...own, ...show]);
    const more = rest ? [press(MORE, () => execute('holdfast.decide'))] : [];
    await this.say(messageOf(d), ...shown, ...more);
  }

  /**
   * A message lies there already, and an extension can take none away: always the same one is added, whose former VS Code closes
   * then, so that they do not pile up.
   */
  private askAgain(d: Decision): Promise<void> {
    this.shown.add(d.id);
    return this.say('The run waits for your answer.', {
      title: 'Show Question',
      run: () => this.cards.focusQuestion(),
    });
  }

  private async say(text: string, ...actions: MessageAction[]): Promise<void> {
    this.lying += 1;
    await inform(text, ...actions).finally(() => (this.lying -= 1));
  }

  /** Pressing a button closes the message: after looking, the question is there again. */
  private async showAndAskAgain(d: Decision): Promise<void> {
    await showChange(d);
    if (!this.cards.isSeen && this.answers.find(d.id)?.state === 'pending') await this.ask(d);
  }

  /** Another window asks its own questions; only that it is gone is said here. */
  private elsewhere(state: RunState, holder: Holder): void {
    if (!holder.gone || isFinal(state.status) || !this.first(`${holder.host}/${holder.pid}/gone`)) return;
    void inform(
      `The VS Code window that held “${inMessage(state.goal, 80)}” is gone. Nothing of it goes on by itself.`,
      {
        title: 'Take Control Here',
        run: () => execute('holdfast.takeControlHere'),
      },
    );
  }

  private interrupted(state: RunState): void {
    const kept = `${plural(finishedSteps(state), 'finished step')} kept`;
    void warn(
      `“${inMessage(state.goal, 80)}” was interrupted; ${kept}. Nothing goes on until you say so.`,
      { title: 'Resume', run: () => execute('holdfast.resume') },
      { title: 'Take Over', run: () => execute('holdfast.takeOver') },
      { title: 'Later', run: () => undefined },
    );
  }

  private stopped(state: RunState): void {
    const { reason } = state;
    if (state.status !== 'paused' && state.status !== 'failed') return;
    if (!reason || !['auth', 'model', 'storage', 'error', 'stepFailed', 'limit', 'conflict'].includes(reason.code))
      return;
    if (!this.first(`${state.runId}/${state.status}/${reason.code}/${lastStop(state)?.id}`)) return;
    const text = inMessage(reason.text, 300);
    const resume: MessageAction = { title: 'Resume', run: () => execute('holdfast.resume') };
    const transcript: MessageAction = { title: 'Open Transcript', run: () => execute('holdfast.openTranscript') };
    if (reason.code === 'auth')
      void warn(text, { title: 'Set API Key', run: () => execute('holdfast.setApiKey') }, resume);
    else if (state.status === 'failed')
      void complain(`The run failed: ${text}`, transcript, {
        title: 'Show Log',
        run: () => execute('holdfast.showLog'),
      });
    else void warn(`The run is paused: ${text}`, resume, transcript);
  }
}

/** For the status line when a run ends well; no message to click away. */
export class Completion extends Disposable {
  constructor(ui: Ui) {
    super();
    let last: string | undefined;
    this._register(
      ui.watch.onDidChange((state) => {
        const key = state && `${state.runId}/${state.status}`;
        if (key !== last && last !== undefined && state?.status === 'completed') {
          window.setStatusBarMessage(`Holdfast: ${completedAfter(state)}.`, 6000);
        }
        last = key;
      }),
    );
  }
}

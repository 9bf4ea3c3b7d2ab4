/** Pause, resume, steer, abort, take over, hand back: from palette, button and key, and for programs. */
import { EventEmitter, window } from 'vscode';
import type { Refusal } from '../../core/errors';
import type { ResumeResult, SteerResult } from '../../core/api';
import type { SteerAction } from '../../protocol/steer';
import type { Receipt } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import type { CommandHandlers } from '../../vscode/ids';
import { execute } from '../../vscode/register';
import type { Ui } from '../context';
import type { RunDocuments } from '../documents/runDocuments';
import { isRefusal, refusal } from '../messages';
import { inMessage } from '../render/words';
import { offerGuards } from './guards';
import { offerUndo } from './compensate';
import { answered, byHuman, NO_RUN, targetOf } from './target';
import { askNote } from './askNote';

type Acts =
  | 'holdfast.pause'
  | 'holdfast.resume'
  | 'holdfast.steer'
  | 'holdfast.abort'
  | 'holdfast.forceStop'
  | 'holdfast.takeOver'
  | 'holdfast.handBack'
  | 'holdfast.decide'
  | 'holdfast.withdrawNote'
  | 'holdfast.deleteRun';

type Act = Receipt | ResumeResult | { taken: true } | Refusal | undefined;

export class RunCommands extends Disposable {
  private readonly asked = this._register(new EventEmitter<void>());
  /** What the human has just asked for waits for an answer of theirs. */
  readonly onDidAsk = this.asked.event;

  constructor(
    private readonly ui: Ui,
    private readonly documents: RunDocuments,
  ) {
    super();
  }

  handlers(): Omit<Pick<CommandHandlers, Acts>, 'holdfast.decide' | 'holdfast.withdrawNote' | 'holdfast.deleteRun'> {
    const { core } = this.ui;
    return {
      'holdfast.pause': (a) => answered(byHuman(a), core.pause(targetOf(a))),
      'holdfast.resume': (a) =>
        byHuman(a) ? answered(true, this.goOn(core.resume(targetOf(a)))) : core.resume(targetOf(a)),
      'holdfast.abort': (a) => (byHuman(a) ? answered(true, this.askAbort()) : core.abort(targetOf(a))),
      'holdfast.forceStop': (a) => answered(byHuman(a), core.forceStop(targetOf(a))),
      'holdfast.steer': (a) =>
        byHuman(a) ? answered(true, this.askSteer()) : this.steer(a?.text, a?.now === true, targetOf(a)),
      'holdfast.takeOver': (a) => (byHuman(a) ? answered(true, this.takeOver()) : core.takeOver(targetOf(a))),
      'holdfast.handBack': (a) =>
        byHuman(a)
          ? answered(true, this.goOn(this.askHandBack()))
          : core.handBack({ ...targetOf(a), ...noteOf(a?.note) }),
    };
  }

  /** A button of the steering view; `text`: what stands in its box. */
  act(action: SteerAction, runId: string, text: string): Promise<Act> {
    const { core } = this.ui;
    switch (action) {
      case 'pause':
        return core.pause({ runId });
      case 'resume':
        return this.goOn(core.resume({ runId }));
      case 'abort':
        return this.abort(runId);
      case 'forceStop':
        return core.forceStop({ runId });
      case 'takeOver':
        return this.takeOver(runId);
      case 'handBack':
        return this.goOn(core.handBack({ runId, ...noteOf(text) }));
      case 'takeControlHere':
        return execute('holdfast.takeControlHere');
    }
  }

  /** By the human: where it waits for their answer, the keyboard goes there. */
  private async goOn<T extends ResumeResult | Refusal | undefined>(work: Promise<T>): Promise<T> {
    const result = await work;
    if (result && !isRefusal(result) && result.waitsFor.length > 0) this.asked.fire();
    return result;
  }

  /** Ended for good: a human is asked once. A program that names a run never is. */
  private async askAbort(): Promise<Receipt | Refusal | undefined> {
    const run = this.ui.watch.active;
    if (!run) return this.abort();
    const abort = 'Abort';
    const pressed = await window.showWarningMessage(
      `Abort the run “${inMessage(run.goal, 80)}”?`,
      { modal: true, detail: 'It stops at once and cannot be resumed. Files stay as they are.' },
      abort,
    );
    return pressed === abort ? this.abort(run.runId) : undefined;
  }

  /** By the human: what was done can be undone where a step says how, and that is offered. */
  private async abort(runId?: string): Promise<Receipt | Refusal> {
    const receipt = await this.ui.core.abort(runId === undefined ? undefined : { runId });
    offerUndo(receipt);
    return receipt;
  }

  /** The brief opens with the control: it is what one reads first. */
  private async takeOver(runId?: string): Promise<Receipt | Refusal> {
    const receipt = await this.ui.core.takeOver(runId === undefined ? undefined : { runId });
    const taken = this.ui.watch.state;
    if (!isRefusal(receipt) && taken) await this.documents.open('Handover Brief', runId ?? taken.runId);
    return receipt;
  }

  private steer(text: unknown, now: boolean, target: { runId?: string }): Promise<SteerResult | Refusal> {
    if (typeof text !== 'string' || text.trim() === '') {
      return Promise.resolve(refusal('badArgument', 'A note needs a text: say what to do, or what not to do.'));
    }
    return this.ui.core.steer({ ...target, text: text.trim(), now });
  }

  private async askSteer(): Promise<SteerResult | Refusal | undefined> {
    const run = this.ui.watch.state;
    if (!run) return NO_RUN;
    const typed = this.ui.typed.of(run.runId);
    const note = await askNote({
      title: 'Steer',
      value: typed,
      prompt: run.model.fixed
        ? 'A playbook cannot read notes: yours is kept with the run and changes nothing it does.'
        : 'What should the agent do differently? It learns of it at the next boundary.',
      nowButton: !run.model.fixed,
      mayBeEmpty: false,
    });
    if (!note) return undefined;
    const result = await this.steer(note.text, note.now, { runId: run.runId });
    if (isRefusal(result)) return result;
    this.ui.typed.sent(run.runId, typed);
    offerGuards(this.ui, run.runId, result.offers);
    return result;
  }

  private async askHandBack(): Promise<ResumeResult | Refusal | undefined> {
    const run = this.ui.watch.state;
    if (run?.status !== 'humanControl') return this.ui.core.handBack();
    // What stands in the steering box goes along, as with the button there; it is seen here before.
    const typed = this.ui.typed.of(run.runId);
    const note = await askNote({
      title: 'Hand Back',
      value: typed,
      prompt: run.model.fixed
        ? 'A note for the record; a playbook does not read it. It may stay empty.'
        : 'A note for the agent; it may stay empty.',
      nowButton: false,
      mayBeEmpty: true,
    });
    if (!note) return undefined;
    const result = await this.ui.core.handBack({ runId: run.runId, ...noteOf(note.text) });
    if (!isRefusal(result)) this.ui.typed.sent(run.runId, typed);
    return result;
  }
}

const noteOf = (note: unknown): { note?: string } =>
  typeof note === 'string' && note.trim() !== '' ? { note: note.trim() } : {};

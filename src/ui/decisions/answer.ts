/** The human answers a decision: asks for the words an answer needs, then tells the core. */
import { commands, window } from 'vscode';
import type { Refusal } from '../../core/errors';
import { SETTLED } from '../../core/refusals';
import type { Decision } from '../../core/run/state';
import { WRITE_MINE } from '../../protocol/steer';
import { Disposable } from '../../vscode/disposable';
import { execute } from '../../vscode/register';
import { offerGuards } from '../commands/guards';
import type { Ui } from '../context';
import { inform, isRefusal, refusal, showRefusal } from '../messages';
import { notedWords } from '../render/noted';
import { inMessage } from '../render/words';
import { lossOf } from './choices';
import { fateOfText } from './fate';
import { boxTitle } from './words';

/** The words an answer of the human's own is sent with, beside the text. */
export const OWN_WORDS = 'text';

/** Answers to an approval that let the step run. */
const ALLOWS: ReadonlySet<string> = new Set(['grant', 'grantForRun']);

type Answered = { state: string } | Refusal;

export class Answers extends Disposable {
  private readonly settled = new Set<string>();

  constructor(private readonly ui: Ui) {
    super();
    this._register(
      ui.watch.onDidChangeRun((state) => {
        for (const d of state.decisions) {
          const fate = this.settled.has(d.id) ? 'open' : fateOfText(state, d);
          if (fate !== 'open') void this.end(d, fate === 'used');
        }
      }),
    );
    this._register(ui.drafts.onDidClose((one) => this.closed(one)));
  }

  find(decisionId: string): Decision | undefined {
    return (this.ui.core.get(runOf(decisionId)) ?? this.ui.watch.state)?.decisions.find((d) => d.id === decisionId);
  }

  /** `text`: given already (the card's field). undefined as an answer: the human closed the question. */
  async answer(decisionId: string, choice: string, text?: string): Promise<Answered | undefined> {
    const decision = this.find(decisionId);
    if (!decision)
      return this.refuse('noDecision', 'That question is no longer there: look at the run for what is open now.');
    if (decision.state !== 'pending') return this.refuse('noDecision', SETTLED[decision.state]);
    if (!(await this.mayLose(decision, choice))) return undefined;
    const typed = this.ui.typed.of(decisionId);
    const words = choice === 'edit' ? await this.edited(decision) : await this.words(decision, choice, text);
    if (words === undefined) return undefined;
    const own = decision.kind === 'question' && choice === '';
    const allows = decision.kind === 'approval' && ALLOWS.has(choice);
    const sent = await this.send(
      decisionId,
      own ? OWN_WORDS : choice,
      choice === 'edit' || (words !== '' && !allows) ? words : undefined,
    );
    if (isRefusal(sent)) return sent;
    if (words !== '' && choice !== 'edit') this.ui.typed.sent(decisionId, typed);
    this.noted(decision, choice);
    return allows && words !== '' ? ((await this.steer(decision, words)) ?? sent) : sent;
  }

  /** What goes with a yes is a note to the agent: after the step that was allowed. A refusal: it was not taken. */
  private async steer({ id }: Decision, text: string): Promise<Refusal | undefined> {
    const runId = runOf(id);
    const result = await this.ui.core.steer({ runId, text });
    if (isRefusal(result)) {
      showRefusal(result);
      return result;
    }
    offerGuards(this.ui, runId, result.offers);
    return undefined;
  }

  /** An answer that throws away or passes over what the human typed is asked about once more, with what is lost. */
  private async mayLose(decision: Decision, choice: string): Promise<boolean> {
    const lost = lossOf(decision, choice, this.ui.drafts.differs(decision));
    if (!lost) return true;
    const { question, detail, yes } = lost;
    return (await window.showWarningMessage(inMessage(question), { modal: true, detail }, yes)) === yes;
  }

  /** A run that has ended shows nothing of an answer by itself. */
  private noted(decision: Decision, choice: string): void {
    const runId = runOf(decision.id);
    const state = this.ui.core.get(runId);
    const noted = state && notedWords(state, decision, choice);
    if (!noted) return;
    const undo = {
      title: 'Undo…',
      run: () => execute('holdfast.compensate', { stepId: decision.stepId ?? '' }, 'message'),
    };
    const receipt = { title: 'Open Receipt', run: () => execute('holdfast.openReceipt', { runId }) };
    void inform(inMessage(noted.text, 400), ...(noted.canUndo ? [undo] : []), receipt);
  }

  private async send(decisionId: string, choice: string, text: string | undefined): Promise<Answered> {
    const result = await this.ui.core.decide({ decisionId, choice, ...(text === undefined ? {} : { text }) });
    if (isRefusal(result)) showRefusal(result);
    return result;
  }

  private refuse(code: Refusal['code'], message: string): Refusal {
    const refused = refusal(code, message);
    showRefusal(refused);
    return refused;
  }

  /** '' : none needed; undefined: the human closed the box. */
  private async words(decision: Decision, choice: string, given: string | undefined): Promise<string | undefined> {
    const must = decision.kind === 'question' && choice === '';
    const may = decision.kind === 'approval' && choice === 'reject' && decision.freeText;
    if (given !== undefined && (given.trim() !== '' || !must)) return given.trim();
    if (!must && !may) return '';
    return window.showInputBox({
      title: inMessage(boxTitle(decision, choice)),
      // What the card's field holds is not typed again.
      value: this.ui.typed.of(decision.id),
      prompt: must ? 'Your answer' : 'Why, or what to do instead; it may stay empty.',
      ignoreFocusOut: true,
      validateInput: (value) =>
        must && value.trim() === '' ? 'Write an answer, or press Escape to leave the question open.' : undefined,
    });
  }

  /** The text the human left; opens the editor for it the first time. */
  private async edited(decision: Decision): Promise<string | undefined> {
    const left = await this.ui.drafts.finish(decision);
    if (typeof left === 'object') return left.text;
    if (left === 'nothing') await this.begin(decision);
    if (left === 'marks')
      void inform(
        `Your version of ${about(decision)} still has conflict marks: decide there, then press ${WRITE_MINE}.`,
      );
    return undefined;
  }

  private async begin(decision: Decision): Promise<void> {
    const { path = 'text', change } = decision;
    const conflict = decision.kind === 'conflict';
    // In a conflict the human's own text is what they go on from; in an approval the proposal.
    const hash = (conflict ? change?.before : change?.after) ?? null;
    const start = await this.ui.core.text({ path, hash });
    if (start === undefined) {
      this.refuse('badChoice', 'The text is not stored, so it cannot be edited here: pick another answer.');
      return;
    }
    await this.ui.drafts.begin(decision, start, conflict ? await this.ui.core.conflictText(decision) : undefined);
    const what = conflict ? 'Put the result together' : 'Edit the right side';
    // The question itself has been heard.
    void commands.executeCommand('notifications.hideToasts');
    void inform(`${what}, then press ${WRITE_MINE}: ${about(decision)}.`, this.write(decision));
  }

  private readonly write = (decision: Decision): { title: string; run(): unknown } => ({
    title: WRITE_MINE,
    run: () => this.answer(decision.id, 'edit'),
  });

  /** Closing is no answer: what was saved is kept, and the question stays open. */
  private closed({ decisionId, path, text }: { decisionId: string; path: string; text: string }): void {
    const decision = this.find(decisionId);
    if (decision?.state !== 'pending') return void this.ui.drafts.drop(decisionId, path);
    void inform(
      `Your version of ${about(decision)} is kept, and not written yet: the question is still open.`,
      { title: WRITE_MINE, run: () => this.send(decisionId, 'edit', text) },
      { title: 'Go On Editing', run: () => this.begin(decision) },
    );
  }

  private async end(decision: Decision, used: boolean): Promise<void> {
    this.settled.add(decision.id);
    if (await this.ui.drafts.end(decision, used)) return;
    const stale = decision.answer?.choice === 'edit';
    const why = stale ? 'the file has changed since' : 'the question was settled without it';
    void inform(`Your own version of ${about(decision)} was not used: ${why}. Its text is still open.`);
  }
}

const runOf = (decisionId: string): string => decisionId.slice(0, decisionId.lastIndexOf('/'));
const about = (decision: Decision): string => inMessage(decision.path ?? decision.title);

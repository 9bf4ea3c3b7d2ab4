/** The human answers a decision: asks for the words an answer needs, then tells the core. */
import { window } from 'vscode';
import type { Refusal } from '../../core/errors';
import { SETTLED } from '../../core/refusals';
import type { Decision } from '../../core/run/state';
import { isFinal } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import type { Ui } from '../context';
import { decodeText } from '../documents/blobs';
import { inform, isRefusal, refusal, showRefusal } from '../messages';
import { inMessage } from '../render/words';
import { WRITE_MINE } from './choices';
import { draftMessage } from './draft';

/** The words an answer of the human's own is sent with, beside the text. */
export const OWN_WORDS = 'text';

export class Answers extends Disposable {
  constructor(private readonly ui: Ui) {
    super();
    this._register(
      ui.watch.onDidChangeRun((state) => {
        for (const d of state.decisions)
          if (d.state !== 'pending' || isFinal(state.status)) void ui.drafts.end(d, d.answer?.choice === 'edit');
      }),
    );
  }

  find(decisionId: string): Decision | undefined {
    const runId = decisionId.slice(0, decisionId.lastIndexOf('/'));
    return (this.ui.core.get(runId) ?? this.ui.watch.state)?.decisions.find((d) => d.id === decisionId);
  }

  /** `text`: given already (the card's field). undefined as an answer: the human closed the question. */
  async answer(decisionId: string, choice: string, text?: string): Promise<{ state: string } | Refusal | undefined> {
    const decision = this.find(decisionId);
    if (!decision)
      return this.refuse('noDecision', 'That question is no longer there: look at the run for what is open now.');
    if (decision.state !== 'pending') return this.refuse('noDecision', SETTLED[decision.state]);
    const words = choice === 'edit' ? await this.edited(decision) : await this.words(decision, choice, text);
    if (words === undefined) return undefined;
    const own = decision.kind === 'question' && choice === '';
    const answer = { decisionId, choice: own ? OWN_WORDS : choice, ...(words === '' ? {} : { text: words }) };
    const result = await this.ui.core.decide(answer);
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
      title: inMessage(decision.title),
      prompt: must ? 'Your answer' : 'Why, or what to do instead; it may stay empty.',
      ignoreFocusOut: true,
      validateInput: (value) =>
        must && value.trim() === '' ? 'Write an answer, or press Escape to leave the question open.' : undefined,
    });
  }

  /** The text the human left; begins the document the first time. */
  private async edited(decision: Decision): Promise<string | undefined> {
    const ready = this.ui.drafts.text(decision.id);
    if (ready !== undefined) return ready;
    // In a conflict the human's own text is what they go on from; in an approval the proposal.
    const hash = decision.kind === 'conflict' ? decision.change?.before : decision.change?.after;
    const bytes = hash ? await this.ui.core.content(hash) : new Uint8Array();
    if (!bytes) {
      this.refuse('badChoice', 'The text is not stored, so it cannot be edited here: pick another answer.');
      return undefined;
    }
    await this.ui.drafts.begin(decision, decodeText(bytes));
    void inform(draftMessage(decision), { title: WRITE_MINE, run: () => this.answer(decision.id, 'edit') });
    return undefined;
  }
}

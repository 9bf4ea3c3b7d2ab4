/** What the human has typed in the steering view and not sent: a key or a row that does the same as a button there takes it along. */
import type { SteerTyped } from '../../protocol/steer';

export class Typed {
  private texts: readonly SteerTyped[] = [];
  /** Sent by another way, and still in the page as far as is known. */
  private gone: SteerTyped[] = [];

  private tell: (text: SteerTyped) => void = () => undefined;

  /** `drop`: how the page is told that a text of it goes. */
  follow(drop: (text: SteerTyped) => void): void {
    this.tell = drop;
  }

  /** A new page listens: it says what it has. */
  reset(): void {
    this.texts = [];
  }

  /** What the page has now. A page that was not there when its text was sent is told again. */
  set(texts: readonly SteerTyped[]): void {
    this.texts = texts;
    const has = ({ of, text }: SteerTyped): boolean => texts.some((one) => one.of === of && one.text === text);
    const again = this.gone.filter(has);
    this.gone = [];
    for (const one of again) this.drop(one);
  }

  /** '' : nothing. `of`: a run (its box) or a decision (the field of its card). */
  of(of: string): string {
    return this.texts.find((one) => one.of === of)?.text ?? '';
  }

  /** It was sent: the page has it no longer. */
  sent(of: string, text: string): void {
    if (text !== '' && this.of(of) === text) this.drop({ of, text });
  }

  private drop(one: SteerTyped): void {
    this.texts = this.texts.filter(({ of }) => of !== one.of);
    this.gone.push(one);
    this.tell(one);
  }
}

/** Keeps the head and the tail of a command's output; says how much was left out between them. */
const HEAD = 12_000;
const TAIL = 20_000;

export class Capture {
  private head = '';
  private tail = '';
  private total = 0;

  add(chunk: string): void {
    this.total += chunk.length;
    const room = HEAD - this.head.length;
    if (room > 0) {
      this.head += chunk.slice(0, room);
      chunk = chunk.slice(room);
    }
    if (chunk === '') return;
    this.tail = chunk.length >= TAIL ? chunk.slice(-TAIL) : (this.tail + chunk).slice(-TAIL);
  }

  /** The text, at most `HEAD + TAIL` characters and one line about the rest. */
  text(): string {
    const left = this.total - this.head.length - this.tail.length;
    const gap = left > 0 ? `\n[… ${left} characters left out …]\n` : '';
    return (this.head + gap + this.tail).toWellFormed();
  }
}

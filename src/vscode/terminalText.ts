/** Text for a terminal that only shows. Pure. */

const SEQUENCE =
  /\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|\[[0-?]*[ -/]*[@-~]|[ -/]+[0-~]|[0-Z\\`-~])/g;
const UNFINISHED = /\x1b(?:\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|\[[0-?]*[ -/]*|[ -/]*)$/;
const STYLE = /^\x1b\[[\d;:]*m$/;
const CONTROLS = /[\x00-\x07\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[[\d;:]*m)/g;
const LONGEST = 4096;

/**
 * Line feeds become CR LF; of the escape sequences only colours and styles stay: an output may not move the cursor,
 * set titles, write to the clipboard or answer for the human. A sequence that is cut between two chunks is held back.
 */
export class TerminalText {
  private held = '';

  next(chunk: string): string {
    let text = this.held + chunk;
    const tail = UNFINISHED.exec(text)?.[0] ?? '';
    this.held = tail.length <= LONGEST ? tail : '';
    text = text.slice(0, text.length - tail.length);
    return text
      .replace(SEQUENCE, (found) => (STYLE.test(found) ? found : ''))
      .replace(CONTROLS, '')
      .replace(/\r?\n/g, '\r\n');
  }
}

export const asTerminal = (text: string): string => new TerminalText().next(text);

/** Step ids are `<runId>/s<n>`. */
export const runOfStep = (stepId: string): string => stepId.slice(0, Math.max(0, stepId.lastIndexOf('/'))) || stepId;

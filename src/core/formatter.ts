/** The formatter of the editor, which a write of the agent may be followed by (`holdfast.formatOnWrite`). */
import type { Path } from './ports';

export type Formatted =
  | { kind: 'text'; text: string }
  /** No formatter knows such files, it has nothing to change, or the file is another one by now. */
  | { kind: 'none' }
  | { kind: 'failed'; why: string };

export interface Formatter {
  /** The setting, as it is for this file. */
  wanted(path: Path): boolean;
  /** What the formatter would make of the file, which holds `text` now. Changes nothing. The answer may come after the signal: nobody waits for it. */
  format(path: Path, text: string, signal: AbortSignal): Promise<Formatted>;
}

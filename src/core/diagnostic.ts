/** Problems that an editor shows. */
import type { Path } from './ports';

export interface Diagnostic {
  path: Path;
  line: number;
  column: number;
  severity: 'error' | 'warning' | 'info' | 'hint';
  message: string;
  source?: string;
}

export interface Diagnostics {
  /** undefined: this host has none. */
  get(path?: Path): Promise<Diagnostic[] | undefined>;
}

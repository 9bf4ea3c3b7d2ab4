/** What this room needs of the world; given by the composition root. */
import type { Clock, Log } from '../../core/ports';
import type { Programs } from '../../core/programs';

export interface Host {
  clock: Clock;
  log: Log;
  programs: Programs;
  /** `holdfast.stopGraceMs` */
  stopGraceMs(): number;
  /** Absolute path of the (first) workspace folder. */
  folder: string;
  /** Ours, told to servers. */
  version: string;
}

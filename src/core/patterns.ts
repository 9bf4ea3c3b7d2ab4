/** The port for regular expressions that a model wrote: they are tried apart from the host's own loop. */

/** A regular expression of a model at work on lines. */
export interface PatternSearch {
  /**
   * Numbers (from 0) of the lines that match; undefined when it takes longer than `ms`. Rejects with the signal's reason.
   * After either nothing more can be asked.
   */
  matching(lines: readonly string[], ms: number, signal: AbortSignal): Promise<number[] | undefined>;
  close(): void;
}

/** Tries patterns apart from the host's own loop: one that backtracks without end must not keep a stop from being heard. */
export interface Patterns {
  /** `source` is known to be valid, with the flag `u`. */
  open(source: string): PatternSearch;
}

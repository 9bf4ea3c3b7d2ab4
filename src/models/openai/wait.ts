/** Why a wait ended without a value. */
export type Cut = 'aborted' | 'idle';

/**
 * Waits that end at once when the signal fires, or when nothing was heard for `idleMs`; what is waited for is then left
 * alone, for it may never settle. Time between two waits does not count: a reader that is slow, or held, is not a silent server.
 * One per request; `dispose` when it is over.
 */
export class Waits {
  private wake: ((cut: Cut) => void) | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly onAbort = (): void => this.wake?.('aborted');

  constructor(
    private readonly signal: AbortSignal,
    private idleMs: number,
  ) {
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Changes how long a silence may last, from the next wait or byte on. In ms. */
  patience(idleMs: number): void {
    this.idleMs = idleMs;
  }

  /** Bytes came: the silence starts anew. */
  heard(): void {
    if (!this.wake) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wake?.('idle'), this.idleMs);
  }

  /** Rejects as `pending` does, until the wait is cut. */
  async on<T>(pending: PromiseLike<T>): Promise<{ value: T } | { cut: Cut }> {
    try {
      return await new Promise<{ value: T } | { cut: Cut }>((resolve, reject) => {
        this.wake = (cut) => resolve({ cut });
        pending.then((value) => resolve({ value }), reject);
        if (this.signal.aborted) resolve({ cut: 'aborted' });
        else this.heard();
      });
    } finally {
      this.wake = undefined;
      clearTimeout(this.timer);
    }
  }

  dispose(): void {
    this.signal.removeEventListener('abort', this.onAbort);
    clearTimeout(this.timer);
  }
}

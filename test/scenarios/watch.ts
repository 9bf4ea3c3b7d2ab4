/** Waits for conditions that other ends make true: looked at on every sign of life, so that nothing short-lived is missed. */
interface Waiting {
  look(): void;
  fail(error: Error): void;
}

export class Watch {
  private readonly waiting = new Set<Waiting>();
  private broken: Error | undefined;

  /** Something may have changed. */
  poke(): void {
    for (const one of [...this.waiting]) one.look();
  }

  /** Nothing will come true any more. */
  fail(error: Error): void {
    this.broken = error;
    for (const one of [...this.waiting]) one.fail(error);
  }

  /** Settles with what `condition` finds; rejects with `what` after `ms`. */
  until<T>(condition: () => T | undefined, ms: number, what: () => string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.broken) return reject(this.broken);
      const found = condition();
      if (found !== undefined) return resolve(found);
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(one);
      };
      const one: Waiting = {
        look: () => {
          const now = condition();
          if (now === undefined) return;
          end();
          resolve(now);
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      const timer = setTimeout(() => one.fail(new Error(`${what()} within ${ms} ms`)), ms);
      this.waiting.add(one);
    });
  }
}

/** The promise, or a rejection that says what took too long. */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not settle within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Long work in parts: a generator that yields where it may be interrupted. Tests and short texts do it at once; where a host
 * waits, it breathes between the parts. Nothing else may depend on what happens meanwhile: the work is on texts that were given.
 */
export type InParts<T> = Generator<undefined, T, undefined>;

/** All of it at once. */
export function atOnce<T>(work: InParts<T>): T {
  for (;;) {
    const part = work.next();
    if (part.done) return part.value;
  }
}

/** Everybody else has their turn after each part. */
export async function breathing<T>(work: InParts<T>, breathe: () => Promise<void>): Promise<T> {
  for (;;) {
    const part = work.next();
    if (part.done) return part.value;
    await breathe();
  }
}

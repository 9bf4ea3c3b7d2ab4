/** How fast something is, said so that a busy machine does not change the answer. */

/**
 * Whether the work settles before a timer of `ms` that starts now. Both wait for the same loop: where the machine is busy,
 * both are late.
 */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const first = await Promise.race([
    work.then(
      () => true,
      () => true,
    ),
    late,
  ]);
  clearTimeout(timer);
  return first;
}

/** What the work gives back, and the ms of processor time that this process took for it. */
export function processorMs<T>(work: () => T): { result: T; ms: number } {
  const from = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(from);
  return { result, ms: (user + system) / 1000 };
}

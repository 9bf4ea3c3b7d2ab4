/** What could not be ended: whether it still lives, and in words. */
import type { Ports, ProcessId } from '../ports';

const named = (processes: readonly ProcessId[]): string =>
  processes.map((p) => `process ${p.pid} (${p.command})`).join(', ');

/** Those that live, each told by its own number and start time alone. */
export async function stillThere(
  { processes }: Pick<Ports, 'processes'>,
  ids: readonly ProcessId[],
): Promise<ProcessId[]> {
  const looks = ids.map(async (one) => {
    const found = await processes.find(one, '');
    return found.some(({ pid, startTime }) => pid === one.pid && startTime === one.startTime) ? [one] : [];
  });
  return (await Promise.all(looks)).flat();
}

/** Sentences, each with a space before it; '' where nothing lives. */
export function survivorWords(survivors: readonly ProcessId[]): string {
  const sure = named(survivors.filter((p) => p.unsure !== true));
  const unsure = named(survivors.filter((p) => p.unsure === true));
  return (
    (sure === '' ? '' : ` Still alive: ${sure}.`) +
    (unsure === '' ? '' : ` Perhaps started by it too, which cannot be told, and left alone: ${unsure}.`)
  );
}

/** What could not be ended, in words. Pure. */
import type { ProcessId } from '../ports';

const named = (processes: readonly ProcessId[]): string =>
  processes.map((p) => `process ${p.pid} (${p.command})`).join(', ');

/** Sentences, each with a space before it; '' where nothing lives. */
export function survivorWords(survivors: readonly ProcessId[]): string {
  const sure = named(survivors.filter((p) => p.unsure !== true));
  const unsure = named(survivors.filter((p) => p.unsure === true));
  return (
    (sure === '' ? '' : ` Still alive: ${sure}.`) +
    (unsure === '' ? '' : ` Perhaps started by it too, which cannot be told, and left alone: ${unsure}.`)
  );
}

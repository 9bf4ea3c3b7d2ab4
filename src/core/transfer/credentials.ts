/** Credentials inside command lines: named by what stands before them, and kept out of the file wherever they stand. Pure. */
import type { RunState } from '../run/state';

const PATTERNS: readonly RegExp[] = [
  /\b(?:authorization|x-api-key|api-key|private-token)\s*:\s*(?:(?:bearer|basic|token)\s+)?([^\s'"`]+)/gi,
  /(?:api[_-]?key|token|secret|passw(?:or)?d|pwd)\s*=\s*['"]?([^\s'"&`;|]+)/gi,
  /--?(?:password|token|api-key|secret)\s+['"]?([^\s'"`-][^\s'"`]*)/gi,
  /:\/\/[^\s/:@]+:([^\s/@]+)@/g,
];

/** Shorter ones, and plain words, stand in any text: taking them out would take out much else. A variable is no credential. */
const isCredential = (text: string): boolean =>
  text.length >= 6 && !text.startsWith('$') && (text.length >= 16 || /[\dA-Z]/.test(text));

export const credentialsIn = (command: string): string[] =>
  PATTERNS.flatMap((pattern) => [...command.matchAll(pattern)].map(([, value = '']) => value)).filter(isCredential);

/** Of all commands of a run. */
export function credentialsOf(s: RunState): string[] {
  const commands = s.steps.flatMap(({ tool, args }) => {
    const command: unknown =
      tool === 'run_command' && typeof args === 'object' && args !== null ? Reflect.get(args, 'command') : undefined;
    return typeof command === 'string' ? [command] : [];
  });
  return [...new Set(commands.flatMap(credentialsIn))];
}

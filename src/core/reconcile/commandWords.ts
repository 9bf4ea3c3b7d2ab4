/** What a command changed, in a few lines for the model. Pure. */
import type { Path } from '../ports';
import { named } from './names';

const MOST_NAMES = 25;

export function names(paths: readonly Path[], most = MOST_NAMES): string {
  const shown = paths.slice(0, most).map(named).join(', ');
  return paths.length > most ? `${shown} and ${paths.length - most} more` : shown;
}

export interface EffectFacts {
  own: readonly { path: Path; kind: 'created' | 'changed' | 'deleted' }[];
  /** So many more, not looked at one by one. */
  uncounted: number;
  /** Changed by the human while it ran. */
  theirs: readonly Path[];
  /** Of `own`: where it went over something of the human's. */
  hits: readonly Path[];
  /** Why there may be more; '' where there is not. */
  partial: string;
}

/** '' where nothing changed and all is known. */
export function effectWords({ own, uncounted, theirs, hits, partial }: EffectFacts): string {
  const lines: string[] = [];
  const kinds = (['created', 'changed', 'deleted'] as const).flatMap((kind) => {
    const paths = own.filter((one) => one.kind === kind).map((one) => one.path);
    return paths.length > 0 ? [`${kind}: ${names(paths)}`] : [];
  });
  if (uncounted > 0) kinds.push(`and ${uncounted} more files`);
  if (kinds.length > 0) lines.push(`[Files while it ran: ${kinds.join('; ')}]`);
  if (theirs.length > 0) lines.push(`[Changed by the human meanwhile, theirs stands: ${names(theirs)}]`);
  if (hits.length > 0) lines.push(`[It went over what the human wrote in ${names(hits)}: they decide what stays.]`);
  if (partial !== '') lines.push(`[What it changed is not fully known: ${partial}.]`);
  return lines.join('\n');
}

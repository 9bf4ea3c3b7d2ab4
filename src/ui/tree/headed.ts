/** A long text as a row: its first clause as the label, the rest beside it in the quieter colour. Pure. */
import { oneLine } from '../render/words';

/** Letters of a label that fit into a side bar as wide as it is at first, on the second level. */
const FITS = 32;
const LONGEST = 160;

/** Where a text may be parted: after a clause; elsewhere it would read as cut. */
function partedAt(text: string): number {
  const start = text.slice(0, FITS);
  const clause = Math.max(...['. ', ': ', '; ', '? ', ', '].map((mark) => start.lastIndexOf(mark)));
  return clause > 5 ? clause + 1 : text.length;
}

/** `beside`: what stands there where the label holds the whole text. */
export function headed(text: string, beside?: string): { label: string; description?: string } {
  const line = oneLine(text, LONGEST);
  const at = line.length <= FITS ? line.length : partedAt(line);
  const rest = line.slice(at).trim() || (line.length <= FITS ? beside : undefined);
  const label = line.slice(0, at).replace(/[,:;]$/, '');
  return rest === undefined ? { label } : { label, description: rest };
}

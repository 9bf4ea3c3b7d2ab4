/** What a window says of runs that another one has. Pure. */
import type { Holder } from '../../core/lease';

/** Two or three words, for where there is little room. */
export const heldLabel = ({ gone }: Holder): string => (gone ? 'Its window is gone' : 'Held by another VS Code window');

/** All of it. */
export function heldWords({ pid, host, gone }: Holder): string {
  const who = `process ${pid} on ${host}`;
  return gone
    ? `The VS Code window that held this run is gone (${who}). Take Control Here goes on with it in this window.`
    : `Held by another VS Code window (${who}): pause, steer, answer or abort there. This window follows it.`;
}

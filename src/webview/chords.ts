/**
 * Chords of the workbench (Ctrl+K H) reach it from here too, but their second key carries no Ctrl: in a field it would also type
 * its letter. Pure.
 */

export type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** As long as VS Code waits for the second key, in ms. */
export const CHORD_MS = 5000;

const MODIFIERS = new Set(['Control', 'Meta', 'Shift', 'Alt', 'AltGraph']);
/** On a Mac Ctrl+K belongs to the field: it deletes to the end of the line. */
const begins = (e: Key, mac: boolean): boolean =>
  (mac ? e.metaKey && !e.ctrlKey : e.ctrlKey && !e.metaKey) && !e.shiftKey && !e.altKey && e.key.toLowerCase() === 'k';

/** Told of each key that is pressed. True: it is the second one of a chord, and no text. */
export function chordWatch(now: () => number, mac: boolean): (e: Key) => boolean {
  let since: number | undefined;
  return (e) => {
    if (MODIFIERS.has(e.key)) return false;
    const second = since !== undefined && now() - since < CHORD_MS;
    since = !second && begins(e, mac) ? now() : undefined;
    return second;
  };
}

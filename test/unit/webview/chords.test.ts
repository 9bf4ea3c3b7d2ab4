import assert from 'node:assert/strict';
import { CHORD_MS, chordWatch, type Key } from '../../../src/webview/chords';

const key = (name: string, more: Partial<Key> = {}): Key => ({
  ...{ key: name, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false },
  ...more,
});

describe('a chord pressed in a field', () => {
  it('types nothing with its second key, and only with that one', () => {
    let now = 0;
    const watch = chordWatch(() => now, false);
    const press = (...keys: Key[]): boolean[] => keys.map(watch);
    const ctrlK = key('k', { ctrlKey: true });
    assert.deepEqual(press(key('Control', { ctrlKey: true }), ctrlK, key('h'), key('h')), [false, false, true, false]);
    assert.deepEqual(press(ctrlK, key('Shift'), key('b')), [false, false, true]);
    assert.deepEqual(press(ctrlK, ctrlK, key('g')), [false, true, false]);
    assert.deepEqual(press(key('k'), key('h')), [false, false]);
    const onMac = chordWatch(() => now, true);
    assert.deepEqual([key('k', { metaKey: true }), key('h'), ctrlK, key('h')].map(onMac), [false, true, false, false]);
    press(ctrlK);
    now += CHORD_MS;
    assert.deepEqual(press(key('h')), [false], 'VS Code has given up waiting');
  });
});

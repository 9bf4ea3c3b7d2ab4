// Mixes colours that are written as #rrggbb.

/** [red, green, blue], each from 0 to 255. */
export function parse(colour) {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** The colour half way between two others. */
export function mix(first, second) {
  const other = parse(second);
  const parts = parse(first).map((part, index) => Math.round((part + other[index]) / 2));
  return '#' + parts.map((part) => part.toString(16).padStart(2, '0')).join('');
}

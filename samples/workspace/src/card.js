// A greeting on a coloured card, for terminals that know colours.

import { mix, parse } from './colour.js';
import { greet } from './greeting.js';

/** One line of text: the greeting, its background half way between two colours. */
export function card(name, { language = 'en', from = '#ffd166', to = '#06d6a0' } = {}) {
  const [red, green, blue] = parse(mix(from, to));
  return `\u001b[30;48;2;${red};${green};${blue}m ${greet(name, language)} \u001b[0m`;
}

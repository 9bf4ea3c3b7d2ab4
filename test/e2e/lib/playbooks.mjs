// Playbooks over the sample project, with waits where a test steps in.

const GREETING = `// Greets people, each in their own language.

export const words = {
  en: 'Hello',
  de: 'Hallo',
  fr: 'Bonjour',
  es: 'Hola',
};

/** A greeting for one person: greet('Ada', 'de') is "Hallo, Ada!". */
export function greet(name, language = 'en') {
  const word = words[language] ?? words.en;
  return \`\${word}, \${name}!\`;
}

/** Words for leaving: farewell('Ada') is "Until soon, Ada!". */
export function farewell(name) {
  return \`Until soon, \${name}!\`;
}
`;

const TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { farewell } from '../src/greeting.js';

test('says farewell', () => {
  assert.equal(farewell('Ada'), 'Until soon, Ada!');
});
`;

/** Edits, then rewrites the whole of a file: the case in which agents lose the lines of humans. */
export const farewell = {
  goal: 'Give the greeting library a farewell',
  steps: [
    { title: 'Look around', tool: 'list_files', with: { path: '.' } },
    { title: 'Read the greetings', tool: 'read_file', with: { path: 'src/greeting.js' } },
    {
      title: 'Add Spanish',
      tool: 'edit_file',
      with: {
        path: 'src/greeting.js',
        old_text: "  fr: 'Bonjour',\n",
        new_text: "  fr: 'Bonjour',\n  es: 'Hola',\n",
      },
    },
    {
      title: 'Write the farewell',
      tool: 'write_file',
      with: { path: 'src/greeting.js', content: GREETING },
      delay_s: 20, // the time there is to press Pause, on the slowest machine
    },
    {
      title: 'Greet people without a name',
      tool: 'edit_file',
      with: { path: 'src/greeting.js', old_text: '${name}!`;\n}\n\n', new_text: "${name || 'friend'}!`;\n}\n\n" },
      delay_s: 4,
    },
    {
      title: 'Add a test for the farewell',
      tool: 'write_file',
      with: { path: 'test/farewell.test.js', content: TEST },
      delay_s: 1,
    },
  ],
};

/** Pauses for an edit of the human in the file that it edits afterwards, elsewhere. */
export const unsaved = {
  goal: 'Name a colour',
  steps: [
    { title: 'Read the colours', tool: 'read_file', with: { path: 'src/colour.js' } },
    {
      title: 'Name black',
      tool: 'edit_file',
      with: {
        path: 'src/colour.js',
        old_text: '/** The colour half way',
        new_text: "export const black = '#000000';\n\n/** The colour half way",
      },
      pauseBefore: true,
    },
    { title: 'Read them again', tool: 'read_file', with: { path: 'src/colour.js' } },
  ],
};

export const approval = {
  goal: 'See whether the tests pass',
  steps: [
    { title: 'Look around', tool: 'list_files', with: { path: 'test' } },
    { title: 'Run the tests', tool: 'run_command', with: { command: 'node --test test/colour.test.js' } },
  ],
};

const CARD = `// A card that greets, in colour.

import { mix, parse } from './colour.js';
import { greet } from './greeting.js';

/** One line of text: the greeting, its background half way between two colours. */
export function card(name, { language = 'en', from = '#ffd166', to = '#06d6a0' } = {}) {
  const [red, green, blue] = parse(mix(from, to));
  return \`\\u001b[30;48;2;\${red};\${green};\${blue}m \${greet(name, language)} \\u001b[0m\`;
}
`;

/** Rewrites the first line of a file, which the human changes during the pause. */
export const conflict = {
  goal: 'Say what the card is',
  steps: [
    { title: 'Read the card', tool: 'read_file', with: { path: 'src/card.js' } },
    {
      title: 'Rewrite its first line',
      tool: 'write_file',
      with: { path: 'src/card.js', content: CARD },
      pauseBefore: true,
    },
  ],
};

export const takeover = {
  goal: 'Look at the colours, step by step',
  steps: [
    { title: 'Read the colours', tool: 'read_file', with: { path: 'src/colour.js' } },
    { title: 'Find who mixes', tool: 'search_text', with: { query: 'mix(' }, delay_s: 60 },
    { title: 'Look around', tool: 'list_files', with: { path: 'src' } },
  ],
};

/** Windows line ends, and none at the end: both must be there afterwards. */
export const LANTERN = [
  '// Lights a lantern.',
  "export const colour = 'amber';",
  'export const hours = 4;',
  '',
  'export function light() {',
  '  return `${colour} for ${hours} hours`;',
  '}',
].join('\r\n');

/** Rewrites the line that the human changes during the pause, and another one that they leave alone. */
export const lantern = {
  goal: 'Change the colour of the lantern',
  steps: [
    { title: 'Read the lantern', tool: 'read_file', with: { path: 'src/lantern.js' } },
    {
      title: 'Make it orange, and say so',
      tool: 'write_file',
      with: {
        path: 'src/lantern.js',
        content: LANTERN.replaceAll('\r\n', '\n')
          .replace("'amber'", "'orange'")
          .replace('return `', 'return `A lantern in '),
      },
      pauseBefore: true,
    },
  ],
};

/** Puts a line above the one that the human changes during the pause, then wants to change that one too. */
export const yours = {
  goal: 'Greet more formally',
  steps: [
    { title: 'Read the greetings', tool: 'read_file', with: { path: 'src/greeting.js' } },
    {
      title: 'Say what the words are for',
      tool: 'edit_file',
      with: {
        path: 'src/greeting.js',
        old_text: 'export const words = {\n',
        new_text: '/** One greeting per language. */\nexport const words = {\n',
      },
      pauseBefore: true,
    },
    {
      title: 'Greet formally',
      tool: 'edit_file',
      with: { path: 'src/greeting.js', old_text: "en: 'Good day'", new_text: "en: 'How do you do'" },
    },
  ],
};

/** Edits a file while the human types in it, and leaves time for a pause afterwards. */
export const typing = {
  goal: 'Name a colour, quietly',
  steps: [
    { title: 'Read the colours', tool: 'read_file', with: { path: 'src/colour.js' } },
    { ...unsaved.steps[1], pauseBefore: false, delay_s: 15 },
    { title: 'Read them again', tool: 'read_file', with: { path: 'src/colour.js' }, delay_s: 20 },
  ],
};

/** Runs a command that names what would undo it, and waits for the human then. */
export const undoable = {
  goal: 'Make room for what is generated',
  steps: [
    { title: 'Look around', tool: 'list_files', with: { path: '.' } },
    {
      title: 'Make a folder',
      tool: 'run_command',
      with: { command: 'mkdir -p made && echo one > made/one.txt' },
      undo: { tool: 'run_command', with: { command: 'rm -r made' } },
    },
    { title: 'Look again', tool: 'list_files', with: { path: '.' }, pauseBefore: true },
  ],
};

// Greets people, each in their own language.

export const words = {
  en: 'Hello',
  de: 'Hallo',
  fr: 'Bonjour',
};

/** A greeting for one person: greet('Ada', 'de') is "Hallo, Ada!". */
export function greet(name, language = 'en') {
  const word = words[language] ?? words.en;
  return `${word}, ${name}!`;
}

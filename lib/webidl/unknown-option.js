'use strict';

// Recognizes misspelt options, and suggests the right one in error messages.

// Allows one wrong letter for this many letters of the option.
const LETTERS_PER_MISTAKE = 3;

// The text after an unknown option in a message: a suggestion, or all options.
function adviceFor(unknown, names) {
  const [best] = names
    .map((name) => ({ name, mistakes: distance(unknown.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, mistakes }) => mistakes <= Math.ceil(name.length / LETTERS_PER_MISTAKE))
    .sort((one, other) => one.mistakes - other.mistakes);
  if (best !== undefined) return `did you mean '${best.name}'?`;
  return `known: ${names.map((each) => `'${each}'`).join(', ')}`;
}

// Whether a name is none of `names` but differs from one of them by at most so many letters.
function isMisspelt(name, names, mistakes) {
  const lower = name.toLowerCase();
  return (
    !names.includes(name) && names.some((each) => distance(lower, each.toLowerCase()) <= mistakes)
  );
}

// The number of letters to insert, remove or replace to turn one text into the other.
// Source: Levenshtein's distance, by the algorithm of Wagner and Fischer.
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[other.length];
}

module.exports = { adviceFor, isMisspelt };

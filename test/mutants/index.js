'use strict';

// The list of mutants: faults that a person could make in this code, as data. A file for each area
// has its mutants. `npm run check mutants` applies each, and says which no test notices.
//
// A mutant has these members:
//
//   name        what is broken
//   file        the file that is changed
//   find        a text that occurs once in that file
//   replace     the text in its place
//   tests       the files of mocha's tests that should fail,
//   grep        of them those with such titles,
//   isPortable  and whether they run on the portable host
//   target      in place of these, the test target of the core, such as 'turn', or 'lib',
//   filter      and which of its tests

const AREAS = ['core', 'loop', 'portable', 'tasks', 'http', 'react', 'watch', 'other-integrations'];

const MUTANTS = AREAS.flatMap((area) => require(`./${area}.js`));

// The text of the file with the fault.
function mutate({ name, file, find, replace }, text) {
  const parts = text.split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new Error(`The text of the mutant "${name}" occurs ${parts.length - 1} times in ${file}`);
}

module.exports = { MUTANTS, mutate };

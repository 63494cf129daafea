'use strict';

// The notation of the lists of mutants: those of one file with the same tests.

// `where` has the members `tests`, `isPortable` or `target` of a mutant (see index.js). Each row
// has its `name`, `find` and `replace`, and maybe its `grep` or `filter`.
function mutantsOf(file, where, rows) {
  const only = where.target === undefined ? 'grep' : 'filter';
  return rows.map(([name, find, replace, title]) => {
    return { name, file, find, replace, ...where, ...(title && { [only]: title }) };
  });
}

module.exports = { mutantsOf };

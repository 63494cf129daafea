'use strict';

// Every example of the documents runs as it stands: it ends by itself with exit code 0, and prints
// what the document says, and nothing on standard error. Examples in TypeScript compile. They also
// run on Bun and Deno, except those that name a limit there.
// @lane slow
// @host any runtimes

const { hasRun } = require('../helpers/loop.js');
const { documents, examples, read } = require('../helpers/docs.js');
const { testExample } = require('../helpers/examples.js');

describe('an example runs as it stands', () => {
  for (const file of documents()) {
    for (const example of examples(read(file))) {
      if (hasRun) continue;
      testExample(`${file}, line ${example.line}`, example);
    }
  }
});

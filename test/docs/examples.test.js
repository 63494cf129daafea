'use strict';

// Every example of the documents runs as it stands: it ends by itself with exit code 0, and prints
// what the document says, and nothing on standard error. Examples in TypeScript compile. They also
// run on Bun and Deno, except those that name a limit there.
// @lane slow
// @host any runtimes

const assert = require('node:assert/strict');
const { LIMIT, hasRun, nodes } = require('../helpers/loop.js');
const { documents, examples, read } = require('../helpers/docs.js');
const { assertRuns, testExample } = require('../helpers/examples.js');
const { isNode } = require('../helpers/runtime.js');

describe('an example runs as it stands', () => {
  for (const file of documents()) {
    for (const example of examples(read(file))) {
      if (hasRun) continue;
      testExample(`${file}, line ${example.line}`, example);
    }
  }
});

// The other runtimes have exit codes of their own.
if (isNode) {
  describe('the test of an example fails if the example', () => {
    const SPIN = 'setInterval(() => {}, 1000);';
    const WRONG = [
      ['throws', 'js', "throw new Error('thrown');"],
      ['does not end', 'js', SPIN],
      ['prints something that the document does not show', 'js', "console.log('a');"],
      ['writes to standard error', 'js', "console.error('a');"],
      ['is TypeScript and does not compile', 'ts', 'const a: string = 1;'],
    ];
    for (const [what, language, code] of WRONG) {
      it(what, async () => {
        const [example] = examples(`\`\`\`${language}\n${code}\n\`\`\`\n`);
        const timeout = code === SPIN ? 1000 : undefined;
        await assert.rejects(assertRuns(example, { on: [nodes.at(-1)], timeout }), {
          code: 'ERR_ASSERTION',
        });
      }).timeout(4 * LIMIT);
    }
  });
}

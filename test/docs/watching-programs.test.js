'use strict';

// docs/watching.md: what each of its programs prints with the change that the document
// proposes. That they print what stands below them, test/docs/examples.test.js shows.
// @lane waiting
// @host programs runtimes

const assert = require('node:assert/strict');
const { codeBlocks, read } = require('../helpers/docs.js');
const { testExample } = require('../helpers/examples.js');

// Applies a diff without line numbers.
function apply(code, diff) {
  const lines = diff.trimEnd().split('\n');
  const side = (mark) => lines.filter((line) => line[0] === mark || line[0] === ' ')
    .map((line) => `${line.slice(1)}\n`).join('');
  const [before, after, more] = code.split(side('-'));
  assert.ok(after !== undefined && more === undefined, `is there not once:\n${side('-')}`);
  return before + side('+') + after;
}

// Each change with the program and what it prints then.
function changes(text) {
  const blocks = codeBlocks(text);
  return blocks.flatMap(({ language, line, code }, i) => {
    if (language !== 'diff') return [];
    const program = blocks.slice(0, i).findLast((block) => block.language === 'js');
    return [{ line, code: apply(program.code, code), prints: blocks[i + 1].code }];
  });
}

describe('with the change that docs/watching.md proposes, a program prints as it says', () => {
  const all = changes(read('docs/watching.md'));
  it('for its fault', () => assert.equal(all.length, 1));

  for (const { line, code, prints } of all) {
    testExample(`line ${line}`, { language: 'js', code, prints });
  }
});

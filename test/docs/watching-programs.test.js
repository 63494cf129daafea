'use strict';

// docs/watching.md: what each of its programs prints with the change that the document
// proposes. That they print what stands below them, test/docs/examples.test.js shows.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { LIMIT, ROOT, assertOnEachNode, run } = require('../helpers/loop.js');
const { codeBlocks, read } = require('../helpers/docs.js');

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
  it('for each of the three faults', () => assert.equal(all.length, 3));

  for (const { line, code, prints } of all) {
    it(`line ${line}`, async () => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-change-'));
      try {
        fs.mkdirSync(path.join(folder, 'node_modules'));
        fs.symlinkSync(ROOT, path.join(folder, 'node_modules', 'uv-scheduler'), 'junction');
        const file = path.join(folder, 'changed.mjs');
        fs.writeFileSync(file, code);
        const expected = { code: 0, signal: null, stdout: prints, stderr: '' };
        await assertOnEachNode(expected, (node) => run(node, [file], { cwd: folder }));
      } finally {
        fs.rmSync(folder, { recursive: true, force: true });
      }
    }).timeout(4 * LIMIT);
  }
});

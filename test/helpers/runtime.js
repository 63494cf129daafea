'use strict';

// Runs programs, given as functions, with the runtime that runs the tests: Node, Bun or Deno.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { withFolder } = require('./folders.js');
const { ROOT, run } = require('./programs.js');

const isDeno = process.versions.deno !== undefined;
const isNode = !isDeno && process.versions.bun === undefined;

// Runs `main(root)` in a process of its own, as a CommonJS module. `flags` are options of the
// runtime; Deno gets all permissions without them.
function runProgram(main, { flags = isDeno ? ['--allow-all'] : [], env = {} } = {}) {
  return withFolder((folder) => {
    const file = path.join(folder, 'main.cjs');
    fs.writeFileSync(file, `'use strict'; (${main})(${JSON.stringify(ROOT)});`);
    const before = isDeno ? ['run', '--no-lock', '--no-prompt'] : [];
    const settings = { env: { ...process.env, ...env } };
    return run({ path: process.execPath }, [...before, ...flags, file], settings);
  });
}

// The lines that a program prints. Fails if it does not exit with 0.
async function linesOf(main, options) {
  const { stdout, ...end } = await runProgram(main, options);
  assert.deepEqual(end, { code: 0, signal: null, stderr: '' }, stdout);
  return stdout.trimEnd().split('\n');
}

module.exports = { isDeno, isNode, linesOf, runProgram };

'use strict';

// Runs mocha in a process of its own, with any Node, also one that an emulator runs, or with
// another runtime; and judges how a test runner, this or cargo, ended.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, runBeside, say } = require('./setup/process');
const { readJson } = require('./setup/npm');

const MOCHA = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
const REPORTER = path.join(__dirname, 'mocha-reporter.js');

// What a run of no test counts. `failures` says what failed, a line for each.
const noCounts = () => ({ passed: 0, failed: 0, skipped: 0, failures: [] });

// A result whose failures say in which run they happened.
const named = (what, result) =>
  ({ ...result, failures: result.failures.map((failure) => `${what}: ${failure}`) });

// A runner that failed without a failed test (it did not compile, it crashed) or that ran no test
// at all counts as one failure, so that the totals show it.
function judge(name, counts, { code, signal }) {
  let trouble = null;
  if (signal) trouble = `was ended by ${signal}`;
  else if (code !== 0 && counts.failed === 0) trouble = `ended with exit code ${code}`;
  else if (counts.passed + counts.failed === 0) trouble = 'ran no test';
  if (trouble === null) return counts;
  say(`${name} ${trouble}: this counts as a failure`);
  const failures = [...counts.failures, `${name} ${trouble}`];
  return { ...counts, failed: Math.max(1, counts.failed), failures };
}

// Runs mocha with `args`. `command` starts Node, and `nameOf` returns how that Node names a file.
// With a `title` the output is shown at the end, below it, and mocha is ended after `limit` ms.
async function runMocha({ command, env, args, nameOf = (file) => file, title, limit }) {
  const [program, ...before] = command;
  // A folder of the project, as an emulated Node may see no other.
  const parent = path.join(ROOT, 'target');
  fs.mkdirSync(parent, { recursive: true });
  const folder = fs.mkdtempSync(path.join(parent, 'mocha-'));
  const file = path.join(folder, 'counts.json');
  try {
    const { text, ...end } = await runBeside(
      program, [...before, nameOf(MOCHA), '--reporter', nameOf(REPORTER), ...args], {
        env: { ...env, MOCHA_COUNTS_FILE: nameOf(file) },
        stdio: ['ignore', ...Array(2).fill(title === undefined ? 'inherit' : 'pipe')],
        timeout: limit, killSignal: 'SIGKILL',
      });
    if (title !== undefined) process.stdout.write(`\n${title}${text}`);
    return judge('mocha', readJson(file) ?? noCounts(), end);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { MOCHA, judge, named, noCounts, runMocha };

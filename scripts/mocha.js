'use strict';

// Runs mocha in a process of its own, with any Node, also one that an emulator runs, or with
// another runtime; and judges how a test runner, this or cargo, ended. Tests on the portable host
// run with Node in one run of mocha, with Bun and Deno each file in a process of its own.
// test/portable/tags.js says by which tags a host leaves out tests.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT, inTurn, runBeside, say } = require('./setup/process');
const { readJson } = require('./setup/npm');
const { portableFiles, runtimeFiles } = require('./test-files');

const MOCHA = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
const REPORTER = path.join(__dirname, 'mocha-reporter.js');

// The counts of a run of no test. `failures` has a line for each test that failed.
const noCounts = () => ({ passed: 0, failed: 0, skipped: 0, failures: [] });

// A runner that failed without a failed test (it did not compile, it crashed) or that ran no test
// at all, although it `hasTests`, counts as one failure, so that the totals show it.
function judge(name, counts, { code, signal, hasTests = true }) {
  let trouble = null;
  if (signal) trouble = `was ended by ${signal}`;
  else if (code !== 0 && counts.failed === 0) trouble = `ended with exit code ${code}`;
  else if (hasTests && counts.passed + counts.failed === 0) trouble = 'ran no test';
  if (trouble === null) return counts;
  say(`${name} ${trouble}: this counts as a failure`);
  const failures = [...counts.failures, `${name} ${trouble}`];
  return { ...counts, failed: Math.max(1, counts.failed), failures };
}

// Runs mocha with `args`. `command` starts Node, and `nameOf` returns how that Node names a file.
// The failures in the result begin with the `name` of the run, if it has one. If the output
// `isHeld`, it is shown at the end, below the name, unless `isQuiet`. With a `limit`, which holds
// it, mocha is ended after so many ms.
async function runMocha({
  command, env, args, nameOf = (file) => file, name, hasTests, limit,
  isHeld = limit !== undefined, isQuiet = false,
}) {
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
        stdio: ['ignore', ...Array(2).fill(isHeld ? 'pipe' : 'inherit')],
        limit,
      });
    if (isHeld && !isQuiet) process.stdout.write(`\n${name}${text}`);
    const counts = judge('mocha', readJson(file) ?? noCounts(), { ...end, hasTests });
    const prefix = name ? `${name}: ` : '';
    return { ...counts, failures: counts.failures.map((failure) => `${prefix}${failure}`) };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

// Far longer than any file takes: one that reaches it hangs.
const LIMIT = 240_000;

// With `own` the tests start programs with the runtime that runs them.
const environment = () => ({
  ...process.env,
  TEST_NODES: 'own',
  UV_SCHEDULER_PORTABLE: '1',
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
});

function runOnNode({ files = portableFiles(), grep, variables }) {
  const { selection } = require('../test/portable/tags.js');
  say('running the JavaScript tests (mocha) on the portable host …');
  const jobs = String(os.availableParallelism());
  const args = ['--parallel', '--jobs', jobs, '--grep', selection('node', grep), ...files];
  const command = [process.execPath];
  const hasTests = grep === undefined;
  const env = { ...environment(), ...variables };
  return runMocha({ command, env, args, hasTests, name: 'portable host' });
}

// Runs a test file in a process of its own, which ends with its last test.
function runFile({ host, command, file, grep }) {
  const { selection } = require('../test/portable/tags.js');
  const args = ['--exit', '--grep', selection(host, grep), file];
  const name = `${host}: ${file}`;
  const hasTests = grep === undefined;
  return runMocha({ command, env: environment(), args, name, hasTests, limit: LIMIT });
}

// The files one after the other on each runtime, and the runtimes beside each other.
async function runOnRuntimes({ files = runtimeFiles(), grep }) {
  const { bun, deno } = require('../test/ecosystem/runtimes');
  const hosts = { bun: [bun, '--bun'], deno: [deno, 'run', '--allow-all', '--no-lock'] };
  say('running the JavaScript tests (mocha) on Bun and Deno …');
  const lanes = Object.entries(hosts).map(([host, command]) =>
    inTurn(files, (file) => runFile({ host, command, file, grep })));
  return (await Promise.all(lanes)).flat();
}

module.exports = { MOCHA, environment, judge, noCounts, runMocha, runOnNode, runOnRuntimes };

'use strict';

// `npm test`: runs set-up, then all tests of cargo and mocha. Its last line counts both together:
// "N passed, N failed". Arguments go to mocha; --only-js and --only-rust run one of the two.
// --matrix (`npm run test:matrix`) runs all of mocha's tests with each supported Node version, one
// after the other; the tests then start their programs on that version alone, too. --ecosystem
// (`npm run test:ecosystem`) runs the tests of test/ecosystem/, which install much.

require('./setup/check-node');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT, report, runMain, say } = require('./setup/process');
const { readJson } = require('./setup/npm');
const { prepare } = require('./setup');

const MODES = ['--only-js', '--only-rust', '--matrix', '--ecosystem'];

// Runs a program to its end; onLine gets each line of its standard output, which is also shown.
function run(command, args, { env, onLine }) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', onLine ? 'pipe' : 'inherit', 'inherit'];
    const child = spawn(command, args, { cwd: ROOT, env, stdio });
    let rest = '';
    if (onLine) {
      child.stdout.setEncoding('utf8').on('data', (text) => {
        process.stdout.write(text);
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        lines.forEach(onLine);
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}

// A runner that failed without a failed test (it did not compile, it crashed) or that ran no test
// at all counts as one failure, so that the totals show it.
function judge(name, counts, { code, signal }) {
  const result = { ...counts };
  const ran = counts.passed + counts.failed;
  let trouble = null;
  if (signal) trouble = `was ended by ${signal}`;
  else if (code !== 0 && counts.failed === 0) trouble = `ended with exit code ${code}`;
  else if (ran === 0) trouble = 'ran no test';
  if (trouble) {
    say(`${name} ${trouble}: this counts as a failure`);
    result.failed = Math.max(1, result.failed);
  }
  return result;
}

// Every test binary, like the documentation tests, prints a line at its start and one at its end.
const CARGO_START = /^running \d+ tests?$/;
const CARGO_RESULT = /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/;

// Unoptimized builds have overflow checks and debug assertions, and share compiled crates with
// clippy.
async function runCargo(env) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let unfinished = 0;
  const onLine = (line) => {
    if (CARGO_START.test(line)) unfinished += 1;
    const found = CARGO_RESULT.exec(line);
    if (!found) return;
    unfinished -= 1;
    counts.passed += Number(found[1]);
    counts.failed += Number(found[2]);
    counts.skipped += Number(found[3]);
  };
  say('running the Rust tests (cargo test) …');
  const end = await run('cargo', ['test', '--workspace', '--no-fail-fast'], { env, onLine });
  // A test that ends its whole process with exit code 0 looks like success to cargo.
  if (unfinished > 0) {
    say(`test binaries that ended before their last test: ${unfinished}`);
    counts.failed += unfinished;
  }
  return judge('cargo test', counts, end);
}

// Adds all test files of a folder unless the arguments name some.
function withFiles(args, tests) {
  return args.some((arg) => arg.endsWith('.test.js')) ? args : [...args, `${tests}/*.test.js`];
}

async function runMocha(node, env, args, tests = 'test') {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-test-'));
  const file = path.join(folder, 'counts.json');
  const mocha = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const reporter = path.join(__dirname, 'mocha-reporter.js');
  try {
    const end = await run(node, [mocha, '--reporter', reporter, ...withFiles(args, tests)], {
      env: { ...env, MOCHA_COUNTS_FILE: file },
    });
    const counts = readJson(file) || { passed: 0, failed: 0, skipped: 0 };
    return judge('mocha', counts, end);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function runMochaHere(env, args, tests) {
  say('running the JavaScript tests (mocha) …');
  return runMocha(process.execPath, env, args, tests);
}

async function runMatrix(env, args) {
  const results = [];
  // Set-up must install them first.
  for (const { major, version, path: node } of require('../test/nodes')) {
    say(`running the JavaScript tests (mocha) with Node ${version} …`);
    results.push(await runMocha(node, { ...env, TEST_NODES: String(major) }, args));
  }
  return results;
}

// The run always ends with its line of counts, even when set-up fails.
async function main() {
  const args = process.argv.slice(2);
  const only = MODES.includes(args[0]) ? args.shift() : null;
  const withRust = only === null || only === '--only-rust';
  const withJs = only !== '--only-rust';
  const results = [];
  try {
    const needEcosystem = only === '--ecosystem';
    const needs = { needAddon: withJs, needCargo: withRust, needNodes: withJs, needEcosystem };
    const env = prepare(needs);
    if (withRust) results.push(await runCargo(env));
    if (only === '--matrix') results.push(...(await runMatrix(env || process.env, args)));
    else if (needEcosystem) results.push(await runMochaHere(process.env, args, 'test/ecosystem'));
    else if (withJs) results.push(await runMochaHere(env || process.env, args));
  } catch (error) {
    results.push({ passed: 0, failed: 1, skipped: 0 });
    report(error);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  if (sum('skipped') > 0) say(`skipped or ignored tests: ${sum('skipped')}`);
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`);
  return sum('failed') === 0 ? 0 : 1;
}

runMain(main);

'use strict';

// `npm test`: set-up, then every test, cargo's and mocha's. Its last line counts both together:
// "N passed, N failed". Arguments go to mocha; --only-js and --only-rust run one of the two.
// --matrix (`npm run test:matrix`) runs all of mocha's with each supported Node version, one after
// the other: there the programs that tests start run on that version alone, too. It does not know
// what is tested.

require('./setup/check-node');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT, report, runMain, say } = require('./setup/process');
const { readJson } = require('./setup/npm');
const { prepare } = require('./setup');

// Runs a program to its end; onLine gets what it prints to standard output, which is shown too.
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
// at all counts as one failure, so that the sum cannot look sound.
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

// Every test binary, and the documentation tests, print a line at the start and one at the end.
const CARGO_START = /^running \d+ tests?$/;
const CARGO_RESULT = /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/;

// The tests run unoptimized: with overflow checks and debug assertions, and sharing what they
// compile with clippy.
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

// All test files, unless some are named.
function withFiles(args) {
  return args.some((arg) => arg.endsWith('.test.js')) ? args : [...args, 'test/*.test.js'];
}

async function runMocha(node, env, args) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-test-'));
  const file = path.join(folder, 'counts.json');
  const mocha = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const reporter = path.join(__dirname, 'mocha-reporter.js');
  try {
    const end = await run(node, [mocha, '--reporter', reporter, ...withFiles(args)], {
      env: { ...env, MOCHA_COUNTS_FILE: file },
    });
    const counts = readJson(file) || { passed: 0, failed: 0, skipped: 0 };
    return judge('mocha', counts, end);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function runMochaHere(env, args) {
  say('running the JavaScript tests (mocha) …');
  return runMocha(process.execPath, env, args);
}

async function runMatrix(env, args) {
  const results = [];
  // Not before set-up has installed them.
  for (const { major, version, path: node } of require('../test/nodes')) {
    say(`running the JavaScript tests (mocha) with Node ${version} …`);
    results.push(await runMocha(node, { ...env, TEST_NODES: String(major) }, args));
  }
  return results;
}

// Whatever goes wrong, set-up included, the run ends with its line of counts.
async function main() {
  const args = process.argv.slice(2);
  const only = ['--only-js', '--only-rust', '--matrix'].includes(args[0]) ? args.shift() : null;
  const withRust = only === null || only === '--only-rust';
  const withJs = only !== '--only-rust';
  const results = [];
  try {
    const env = prepare({ needAddon: withJs, needCargo: withRust, needHosts: withJs });
    if (withRust) results.push(await runCargo(env));
    if (only === '--matrix') results.push(...(await runMatrix(env || process.env, args)));
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

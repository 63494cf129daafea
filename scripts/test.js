'use strict';

// `npm test`: runs set-up, then all tests of cargo and mocha. Its last line counts both together:
// "N passed, N failed"; a line before it, "failed: …", names each that failed. Arguments go to
// mocha; --only-js and --only-rust run one of the two, and --quick runs those tests of mocha that
// take half a minute, most of them in mocha's own process. Programs run on the oldest and the
// newest Node. --matrix (`npm run test:matrix`) runs mocha with each supported Node, one after the
// other, for the tests that `npm test` does not run there: those in mocha's own process, the
// programs on the other versions, and those of memory. --ecosystem (`npm run test:ecosystem`) runs
// the tests of test/ecosystem/, which install much.

require('./setup/check-node');
const os = require('node:os');
const { report, runMain, say } = require('./setup/process');
const { judge, noCounts, run, runMocha } = require('./mocha');
const { prepare } = require('./setup');
const { filesOfMatrix, quickFiles, testFiles } = require('./test-files');

const ECOSYSTEM = ['test/ecosystem/*.test.js'];
const MODES = ['--only-js', '--only-rust', '--quick', '--matrix', '--ecosystem'];

// How many actions a schedule of the simulated loop has. One more takes many times as long, and
// finds hardly more.
const SIMULATION_DEPTH = '3';

// The tests of a file wait for each other, those of different files do not.
const PARALLEL = ['--parallel', '--jobs', String(os.availableParallelism())];

// Every test binary, like the documentation tests, prints a line at its start and one at its end.
const CARGO_START = /^running \d+ tests?$/;
const CARGO_FAILURE = /^test (.+) \.\.\. FAILED$/;
const CARGO_RESULT = /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/;

// Unoptimized builds have overflow checks and debug assertions, and share compiled crates with
// clippy.
async function runCargo(env) {
  const counts = noCounts();
  let unfinished = 0;
  const onLine = (line) => {
    if (CARGO_START.test(line)) unfinished += 1;
    const failure = CARGO_FAILURE.exec(line);
    if (failure) counts.failures.push(`cargo test: ${failure[1]}`);
    const found = CARGO_RESULT.exec(line);
    if (!found) return;
    unfinished -= 1;
    counts.passed += Number(found[1]);
    counts.failed += Number(found[2]);
    counts.skipped += Number(found[3]);
  };
  say('running the Rust tests (cargo test) …');
  const own = { SIMULATION_DEPTH, ...env };
  const end = await run('cargo', ['test', '--workspace', '--no-fail-fast'], { env: own, onLine });
  // A test that ends its whole process with exit code 0 looks like success to cargo.
  if (unfinished > 0) {
    say(`test binaries that ended before their last test: ${unfinished}`);
    counts.failed += unfinished;
    counts.failures.push(`cargo test: ${unfinished} test binaries ended before their last test`);
  }
  return judge('cargo test', counts, end);
}

// Adds all test files unless the arguments name some.
function withFiles(args, files = testFiles()) {
  return args.some((arg) => arg.endsWith('.test.js')) ? args : [...args, ...files];
}

function runMochaHere(env, args, files) {
  say('running the JavaScript tests (mocha) …');
  return runMocha({ command: [process.execPath], env, args: withFiles(args, files) });
}

// The oldest and the newest Node. Set-up must install them first.
function majorsOfEnds() {
  const nodes = require('../test/nodes');
  return [nodes.at(0).major, nodes.at(-1).major];
}

function runAll(env, args, files) {
  const TEST_NODES = env.TEST_NODES ?? majorsOfEnds().join();
  return runMochaHere({ ...env, TEST_NODES }, [...PARALLEL, ...args], files);
}

async function runMatrix(env, args) {
  const results = [];
  const ends = majorsOfEnds();
  const ownMajor = Number.parseInt(process.versions.node, 10);
  for (const { major, version, path: node } of require('../test/nodes')) {
    const hasRun = ends.includes(major);
    if (hasRun && major === ownMajor) continue;
    say(`running the JavaScript tests (mocha) with Node ${version} …`);
    const own = { ...env, TEST_NODES: String(major), TEST_MATRIX: ends.join() };
    const files = withFiles([...PARALLEL, ...args], filesOfMatrix({ hasRun }));
    const result = await runMocha({ command: [node], env: own, args: files });
    const failures = result.failures.map((failure) => `Node ${version}: ${failure}`);
    results.push({ ...result, failures });
  }
  return results;
}

// The run always ends with its line of counts, even when set-up fails.
async function main() {
  const args = process.argv.slice(2);
  const only = MODES.includes(args[0]) ? args.shift() : null;
  const isQuick = only === '--quick';
  const withRust = only === null || only === '--only-rust';
  const withJs = only !== '--only-rust';
  const results = [];
  try {
    const needEcosystem = only === '--ecosystem';
    const needs = { needAddon: withJs, needCargo: withRust, needNodes: withJs, needEcosystem };
    const env = prepare(needs);
    if (withRust) results.push(await runCargo(env));
    if (only === '--matrix') results.push(...(await runMatrix(env || process.env, args)));
    else if (needEcosystem) results.push(await runMochaHere(process.env, args, ECOSYSTEM));
    else if (isQuick) results.push(await runAll(env || process.env, args, quickFiles()));
    else if (withJs) results.push(await runAll(env || process.env, args));
  } catch (error) {
    results.push({ ...noCounts(), failed: 1, failures: [`could not run: ${error.message}`] });
    report(error);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  if (sum('skipped') > 0) say(`skipped or ignored tests: ${sum('skipped')}`);
  process.stdout.write('\n');
  for (const failure of results.flatMap(({ failures }) => failures)) {
    process.stdout.write(`failed: ${failure}\n`);
  }
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
  return sum('failed') === 0 ? 0 : 1;
}

runMain(main);

'use strict';

// `npm run check asan`: runs set-up, then every program of test/valgrind/ and most of mocha's tests
// with an addon instrumented by AddressSanitizer. It reports uses of freed memory and accesses out
// of bounds, also in the processes that tests start. Node itself is not instrumented, so only its
// bad calls of malloc, free, memcpy and the like are noticed. Valgrind looks for leaks instead.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, say } = require('../setup/process');
const { choosePrograms, endsWell, readChoice, runJobs } = require('../setup/programs');
const { MOCHA } = require('../mocha');
const { prepare } = require('../setup');
const system = require('../setup/system');
const { buildUnoptimized, checkLoaded, environment } = require('../setup/unoptimized');
const { testFiles } = require('../test-files');

const TARGET = path.join(ROOT, 'target', 'asan');
const REPORTS = path.join(TARGET, 'reports');
const ADDON = path.join(TARGET, 'uv-scheduler.node');

// Sanitizers are unstable in rustc; RUSTC_BOOTSTRAP makes the stable compiler accept them. The
// runtime cannot read Rust's newer symbol names.
const FLAGS = ['-Zsanitizer=address', '-Zunstable-options', '-Csymbol-mangling-version=legacy'];

// One version is enough by default, since all versions load the same addon.
const DEFAULT_NODE = '24';

const PROGRAMS = path.join(ROOT, 'test', 'valgrind');

// AddressSanitizer keeps freed memory for a while, so tests that measure memory use would fail.
const SKIPPED_TESTS = 'memory';

const SKIPPED_FILES = [
  'memory.test.js',
  // This test preloads libraries of its own.
  'host.test.js',
];

function chosenTests() {
  const wanted = testFiles().filter((file) => !SKIPPED_FILES.includes(path.basename(file)));
  return wanted.map((file) => path.join(ROOT, file));
}

// The processes to run with a Node version, each with its name and arguments.
function chooseJobs(only) {
  const programs = choosePrograms(PROGRAMS, only).map(({ name, file }) => ({ name, args: [file] }));
  if (only !== undefined) return programs;
  // Everything is slower than the tests expect.
  const options = ['--timeout', '300000', '--reporter', 'dot', '--grep', SKIPPED_TESTS, '--invert'];
  return [...programs, { name: 'the tests', args: [MOCHA, ...options, ...chosenTests()] }];
}

// Returns the reports of a job's processes without their memory maps.
function takeReports() {
  const files = fs.readdirSync(REPORTS).map((name) => path.join(REPORTS, name));
  return files.map((file) => {
    const text = fs.readFileSync(file, 'utf8');
    fs.rmSync(file);
    return text.split('\nShadow bytes')[0];
  });
}

// Returns true if a job succeeded and AddressSanitizer found nothing in any of its processes.
function run({ args }, node, name, env) {
  say(`${name} …`);
  const isWell = endsWell(name, node.path, args, { env });
  const reports = takeReports();
  for (const report of reports) say(report);
  return isWell && reports.length === 0;
}

module.exports = async (args) => {
  const { node: which = DEFAULT_NODE, only } = readChoice('asan', args);
  const jobs = chooseJobs(only);
  const library = system.prepare('asan');
  const cargo = { ...await prepare({ needCargo: true, needNodes: true }), RUSTC_BOOTSTRAP: '1' };
  say('building the addon with AddressSanitizer (cargo build) …');
  buildUnoptimized(ADDON, { env: cargo, target: TARGET, flags: FLAGS });
  fs.rmSync(REPORTS, { recursive: true, force: true });
  fs.mkdirSync(REPORTS);
  const options = `detect_leaks=0:log_path=${path.join(REPORTS, 'report')}`;
  const env = environment(ADDON, { LD_PRELOAD: library, ASAN_OPTIONS: options });
  return runJobs(which, jobs, {
    begin: (node) => checkLoaded(ADDON, node, env),
    // The tests start their programs on this version alone, too.
    run: (job, node, name) => run(job, node, name, { ...env, TEST_NODES: node.major }),
    praise: 'AddressSanitizer finds no fault',
  });
};

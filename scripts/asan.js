'use strict';

// `npm run asan`: set-up, then every program of test/valgrind/ and most of mocha's tests with an
// addon that AddressSanitizer has instrumented. It reports uses of freed memory and accesses out of
// bounds, also in the processes that tests start. Node itself is not instrumented: there only bad
// calls of malloc, free, memcpy and the like are noticed. Leaks are left to valgrind.

require('./setup/check-node');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, runMain, say } = require('./setup/process');
const { chooseNodes, choosePrograms, readArguments } = require('./setup/programs');
const { prepare } = require('./setup');
const asan = require('./setup/asan');
const { buildUnoptimized, checkLoaded, environment } = require('./setup/unoptimized');

const TARGET = path.join(ROOT, 'target', 'asan');
const REPORTS = path.join(TARGET, 'reports');
const ADDON = path.join(TARGET, 'uv-scheduler.node');

// Sanitizers are unstable in rustc, which RUSTC_BOOTSTRAP allows the stable one to use as well. The
// runtime cannot read the newer form of Rust's names.
const FLAGS = ['-Zsanitizer=address', '-Zunstable-options', '-Csymbol-mangling-version=legacy'];

// The addon is the same for all of them.
const DEFAULT_NODE = '24';

const PROGRAMS = path.join(ROOT, 'test', 'valgrind');
const TESTS = path.join(ROOT, 'test');
const MOCHA = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

// Freed memory is kept aside for a while, so tests of how much memory is used must fail.
const SKIPPED_TESTS = 'memory';

const SKIPPED_FILES = [
  'memory.test.js',
  // It preloads libraries of its own.
  'host.test.js',
  // jest's own native addon would be looked for in NAPI_RS_NATIVE_LIBRARY_PATH, too.
  'runners.test.js',
];

function testFiles() {
  const names = fs.readdirSync(TESTS).filter((name) => name.endsWith('.test.js'));
  const wanted = names.filter((name) => !SKIPPED_FILES.includes(name));
  return wanted.sort().map((name) => path.join(TESTS, name));
}

// What to run with a Node version: a name and arguments for each process.
function jobs(only) {
  const programs = choosePrograms(PROGRAMS, only).map((file) => [path.basename(file), [file]]);
  if (only !== undefined) return programs;
  // Everything takes longer than tests expect.
  const options = ['--timeout', '300000', '--reporter', 'dot', '--grep', SKIPPED_TESTS, '--invert'];
  return [...programs, ['the tests', [MOCHA, ...options, ...testFiles()]]];
}

// What the processes of a job complained of, without the maps of memory beneath.
function takeReports() {
  const files = fs.readdirSync(REPORTS).map((name) => path.join(REPORTS, name));
  return files.map((file) => {
    const text = fs.readFileSync(file, 'utf8');
    fs.rmSync(file);
    return text.split('\nShadow bytes')[0];
  });
}

// Whether a job ended well and AddressSanitizer found nothing in any of its processes.
function run(node, [what, args], env) {
  const name = `${what} on Node ${node.version}`;
  say(`${name} …`);
  const options = { cwd: ROOT, env, stdio: 'inherit' };
  const { error, status, signal } = spawnSync(node.path, args, options);
  if (error) throw error;
  if (status !== 0) say(`${name} ended with ${signal ?? `exit code ${status}`}`);
  const reports = takeReports();
  for (const report of reports) say(report);
  return status === 0 && reports.length === 0;
}

runMain(() => {
  const { node: which = DEFAULT_NODE, only } = readArguments('asan', process.argv.slice(2));
  const list = jobs(only);
  const library = asan.prepare();
  const needs = { needCargo: true, needNodes: true, needHosts: only === undefined };
  const cargo = { ...prepare(needs), RUSTC_BOOTSTRAP: '1' };
  say('building the addon with AddressSanitizer (cargo build) …');
  buildUnoptimized(ADDON, { env: cargo, target: TARGET, flags: FLAGS });
  fs.rmSync(REPORTS, { recursive: true, force: true });
  fs.mkdirSync(REPORTS);
  const options = `detect_leaks=0:log_path=${path.join(REPORTS, 'report')}`;
  const env = environment(ADDON, { LD_PRELOAD: library, ASAN_OPTIONS: options });
  const failed = [];
  for (const node of chooseNodes(which)) {
    checkLoaded(ADDON, node, env);
    // The programs that tests start run on that version alone, too.
    const own = { ...env, TEST_NODES: node.major };
    for (const job of list) {
      if (!run(node, job, own)) failed.push(`${job[0]} (Node ${node.version})`);
    }
  }
  say(failed.length === 0 ? 'AddressSanitizer finds no fault' : `failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
});

'use strict';

// `npm run check asan`: runs set-up, then most of mocha's tests with an addon instrumented by
// AddressSanitizer. It reports uses of freed memory and accesses out of bounds, also in the
// processes that tests start. Node itself is not instrumented, so only its bad calls of malloc,
// free, memcpy and the like are noticed. Valgrind looks for leaks instead.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, say, succeeds } = require('../setup/process');
const { runPrograms } = require('../setup/programs');
const { MOCHA } = require('../mocha');
const { testFiles } = require('../test-files');

const TARGET = path.join(ROOT, 'target', 'asan');
const REPORTS = path.join(TARGET, 'reports');

// Sanitizers are unstable in rustc; RUSTC_BOOTSTRAP makes the stable compiler accept them. The
// runtime cannot read Rust's newer symbol names.
const FLAGS = ['-Zsanitizer=address', '-Zunstable-options', '-Csymbol-mangling-version=legacy'];

// AddressSanitizer keeps freed memory for a while, so tests that measure memory use would fail. And
// one test preloads libraries of its own. Everything is slower than the tests expect.
const SKIPPED = ['memory.test.js', 'host.test.js'];
const OPTIONS = ['--timeout', '300000', '--reporter', 'dot', '--grep', 'memory', '--invert'];

// Returns true if a job succeeded and AddressSanitizer found nothing in any of its processes. The
// tests start their programs on this version alone, too. Reports are shown without memory maps.
function run({ name, args, node, env }) {
  say(`${name} …`);
  fs.rmSync(REPORTS, { recursive: true, force: true });
  fs.mkdirSync(REPORTS);
  const isWell = succeeds(node.path, args, { env: { ...env, TEST_NODES: node.major } });
  const reports = fs.readdirSync(REPORTS).map((file) => path.join(REPORTS, file));
  for (const file of reports) say(fs.readFileSync(file, 'utf8').split('\nShadow bytes')[0]);
  return isWell && reports.length === 0;
}

module.exports = (args) => {
  const tests = testFiles().filter((file) => !SKIPPED.includes(path.basename(file)));
  const options = `detect_leaks=0:log_path=${path.join(REPORTS, 'report')}`;
  return runPrograms('asan', args, {
    // One version is enough, since all versions load the same addon.
    defaultNode: '24',
    tool: 'asan',
    programs: [{ name: 'the tests', args: [MOCHA, ...OPTIONS, ...tests] }],
    addon: {
      how: 'AddressSanitizer',
      target: TARGET,
      file: path.join(TARGET, 'uv-scheduler.node'),
      flags: FLAGS,
      variables: { RUSTC_BOOTSTRAP: '1' },
      environment: (library) => ({ LD_PRELOAD: library, ASAN_OPTIONS: options }),
    },
    run,
    praise: 'AddressSanitizer finds no fault',
  });
};

'use strict';

// The package under test runners: loaded by the test files, loaded by register before them, and
// loaded when the timers are faked. Jest, and vitest in half of its pools, load it into a context
// for each test file. The tests that they run are in ../fixtures/runners/, hosts/jest/ and
// hosts/vitest/.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { FIXTURES, ROOT, assertOnEnds, nodes, run } = require('../helpers/loop.js');
const { install } = require('../helpers/packed.js');
const hosts = require('./hosts');

const RUNNERS = path.join(FIXTURES, 'runners');
const HOSTS = path.join(__dirname, 'hosts');
const REGISTER = path.join(ROOT, 'register.js');

// A runner behaves differently if another one runs it.
const env = { ...process.env };
delete env.NODE_TEST_CONTEXT;
delete env.JEST_WORKER_ID;

const PASSED = (passed) => ({ code: 0, signal: null, stderr: '', passed, failed: 0 });

// How a runner ended, with the counts that `count` finds in its output, or the whole output if it
// finds none.
async function outcome(node, args, count, options = { env }) {
  const { code, signal, stdout, stderr } = await run(node, args, options);
  let counts;
  try {
    counts = count(stdout);
  } catch {
    counts = { stdout };
  }
  return { code, signal, stderr, ...counts };
}

const WITH_REGISTER = 'with register and fake timers';
const FAKED_FIRST = 'with fake timers that were installed before the package was loaded';

describe('under a test runner the package keeps its guarantees', () => {
  const NODE_TESTS = {
    // Includes the subtest.
    'node:test': ['node-test.js', [], 16],
    [`node:test ${WITH_REGISTER}`]: ['node-test-registered.js', ['--import', REGISTER], 18],
    [`node:test ${FAKED_FIRST}`]: ['node-test-late.js', [], 7],
  };
  for (const [name, [file, flags, passed]] of Object.entries(NODE_TESTS)) {
    it(name, async () => {
      const args = [...flags, '--test', '--test-reporter=tap', path.join(RUNNERS, file)];
      const find = (text, what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(text)[1]);
      const count = (text) => ({ passed: find(text, 'pass'), failed: find(text, 'fail') });
      await assertOnEnds(PASSED(passed), (node) => outcome(node, args, count));
    });
  }

  const MOCHAS = {
    'mocha': ['mocha-suite.js', [], 17],
    [`mocha ${WITH_REGISTER}`]: ['mocha-registered.js', ['--require', REGISTER], 19],
    [`mocha ${FAKED_FIRST}`]: ['mocha-late.js', [], 7],
  };
  for (const [name, [file, flags, passed]] of Object.entries(MOCHAS)) {
    it(name, async () => {
      const mocha = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
      const config = path.join(RUNNERS, 'mocharc.js');
      const args = [mocha, '--config', config, ...flags, path.join(RUNNERS, file)];
      const count = (text) => {
        const { passes, failures } = JSON.parse(text).stats;
        return { passed: passes, failed: failures };
      };
      await assertOnEnds(PASSED(passed), (node) => outcome(node, args, count));
    });
  }

  const JESTS = {
    'jest 30, several files in one process, in both environments': {
      bin: hosts.jest,
      config: 'jest.config.js',
      passed: 95,
      files: 7,
    },
    'jest 29 in both environments': {
      bin: hosts.jest29,
      config: 'jest29.config.js',
      passed: 74,
      files: 6,
    },
    'jest 30 in several processes': {
      bin: hosts.jest,
      config: 'jest.config.js',
      flags: ['--maxWorkers', '2'],
      passed: 95,
      files: 7,
      on: [nodes.at(-1)],
    },
    'jest 30 in a process that has preloaded register': {
      bin: hosts.jest,
      config: 'preloaded.config.js',
      passed: 3,
      files: 1,
      nodeOptions: `--require ${JSON.stringify(REGISTER)}`,
    },
  };
  for (const [name, jest] of Object.entries(JESTS)) {
    const { bin, config, flags = ['--detectOpenHandles'], passed, files, nodeOptions, on } = jest;
    it(`${name}, which ends by itself without open handles`, async () => {
      const args = [bin, '--config', path.join(HOSTS, 'jest', config), '--json', '--silent'];
      const count = (text) => {
        const { numPassedTests, numFailedTests, ...rest } = JSON.parse(text);
        const counts = { passed: numPassedTests, failed: numFailedTests };
        return { ...counts, files: rest.numPassedTestSuites, open: rest.openHandles.length };
      };
      const options = { env: nodeOptions ? { ...env, NODE_OPTIONS: nodeOptions } : env };
      // Jest reports on standard error.
      const work = async (node) => {
        const { stderr, ...rest } = await outcome(node, [...args, ...flags], count, options);
        return { ...rest, complains: stderr.match(/did not exit|failed to exit|torn down|●.*/) };
      };
      const expected = { code: 0, signal: null, passed, failed: 0, files, open: 0 };
      await assertOnEnds({ ...expected, complains: null }, work, { on });
    }).timeout(120_000);
  }

  it('jest in jsdom, which sets the condition for browsers, by the package name', async () => {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-jest-')));
    try {
      install(folder);
      fs.cpSync(path.join(HOSTS, 'jest', 'named'), folder, { recursive: true });
      const config = JSON.stringify({
        testEnvironment: require.resolve('jest-environment-jsdom', { paths: [HOSTS] }),
        testMatch: ['**/*.test.*js'],
        transform: {},
        watchman: false,
      });
      fs.writeFileSync(path.join(folder, 'jest.config.json'), config);
      const args = ['--experimental-vm-modules', hosts.jest, '--json', '--silent'];
      const count = (text) => {
        const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(text);
        return { passed, failed };
      };
      await assertOnEnds({ code: 0, passed: 2, failed: 0 }, async (node) => {
        const options = { env, cwd: folder };
        const { code, passed, failed, stderr } = await outcome(node, args, count, options);
        return failed === 0 ? { code, passed, failed } : stderr;
      });
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }).timeout(120_000);

  const VITESTS = {
    'vitest 3': hosts.vitest,
    'vitest 4': path.join(__dirname, 'vitest4', 'node_modules', 'vitest', 'vitest.mjs'),
  };
  for (const [name, vitest] of Object.entries(VITESTS)) {
    it(`${name} in each of its pools, which ends by itself`, async () => {
      const root = path.join(HOSTS, 'vitest');
      const args = [vitest, 'run', '--root', root, '--reporter', 'json'];
      const count = (text) => {
        const { numPassedTests: passed, numFailedTests: failed, success } = JSON.parse(text);
        return { passed, failed, success };
      };
      const expected = { ...PASSED(148), success: true };
      await assertOnEnds(expected, (node) => outcome(node, args, count));
    }).timeout(120_000);
  }
});

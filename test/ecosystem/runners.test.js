'use strict';

// The package under test runners. Jest, and vitest in half of its pools, load it into a context for
// each test file. The tests that they run are in ../fixtures/runners/, hosts/jest/ and
// hosts/vitest/.

const path = require('node:path');
const { FIXTURES, ROOT, assertOnEachNode, run } = require('../helpers-loop.js');
const hosts = require('./hosts');

const RUNNERS = path.join(FIXTURES, 'runners');
const HOSTS = path.join(__dirname, 'hosts');

// A runner behaves differently if another one runs it.
const env = { ...process.env };
delete env.NODE_TEST_CONTEXT;
delete env.JEST_WORKER_ID;

const PASSED = (passed) => ({ code: 0, signal: null, stderr: '', passed, failed: 0 });

// How a runner ended, with the counts that `count` finds in its output, or the whole output if it
// finds none.
async function outcome(node, args, count) {
  const { code, signal, stdout, stderr } = await run(node, args, { env });
  let counts;
  try {
    counts = count(stdout);
  } catch {
    counts = { stdout };
  }
  return { code, signal, stderr, ...counts };
}

describe('under a test runner the package keeps its guarantees', () => {
  it('node:test', async () => {
    const file = path.join(RUNNERS, 'node-test.js');
    const number = (text, name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(text)[1]);
    const count = (text) => ({ passed: number(text, 'pass'), failed: number(text, 'fail') });
    // Includes the subtest.
    await assertOnEachNode(PASSED(15), (node) => {
      return outcome(node, ['--test', '--test-reporter=tap', file], count);
    });
  });

  it('mocha', async () => {
    const mocha = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const file = path.join(RUNNERS, 'mocha-suite.js');
    const args = [mocha, '--config', path.join(RUNNERS, 'mocharc.js'), file];
    const count = (text) => {
      const { passes: passed, failures: failed } = JSON.parse(text).stats;
      return { passed, failed };
    };
    await assertOnEachNode(PASSED(16), (node) => outcome(node, args, count));
  });

  const JESTS = {
    'jest 30, several files in one process, in both environments': {
      bin: hosts.jest,
      config: 'jest.config.js',
      passed: 40,
      files: 3,
    },
    'jest 29 in both environments': {
      bin: hosts.jest29,
      config: 'jest29.config.js',
      passed: 20,
      files: 2,
    },
  };
  for (const [name, { bin, config, passed, files }] of Object.entries(JESTS)) {
    it(`${name}, which ends by itself`, async () => {
      const args = [bin, '--config', path.join(HOSTS, 'jest', config)];
      args.push('--runInBand', '--json', '--silent');
      const count = (text) => {
        const { numPassedTests, numFailedTests, ...rest } = JSON.parse(text);
        const counts = { passed: numPassedTests, failed: numFailedTests };
        return { ...counts, files: rest.numPassedTestSuites, open: rest.openHandles.length };
      };
      // Jest reports on standard error.
      const work = async (node) => {
        const { stderr, ...rest } = await outcome(node, args, count);
        return { ...rest, complains: stderr.match(/did not exit|failed to exit|torn down|●.*/) };
      };
      const expected = { code: 0, signal: null, passed, failed: 0, files, open: 0 };
      await assertOnEachNode({ ...expected, complains: null }, work);
    });
  }

  it('vitest in each of its pools, which ends by itself', async () => {
    const root = path.join(HOSTS, 'vitest');
    const args = [hosts.vitest, 'run', '--root', root, '--reporter', 'json'];
    const count = (text) => {
      const { numPassedTests: passed, numFailedTests: failed, success } = JSON.parse(text);
      return { passed, failed, success };
    };
    await assertOnEachNode({ ...PASSED(40), success: true }, (node) => outcome(node, args, count));
  });
});

'use strict';

// The package under test runners, which load it in ways of their own: jest in a context for each
// test file. What is tested there is in fixtures/runners/ and hosts/jest/.

const path = require('node:path');
const { FIXTURES, ROOT, assertOnEachNode, run } = require('./helpers-loop.js');
const hosts = require('./hosts');

const RUNNERS = path.join(FIXTURES, 'runners');
const JEST = path.join(__dirname, 'hosts', 'jest');

// A runner that is run by another one behaves differently.
const env = { ...process.env };
delete env.NODE_TEST_CONTEXT;
delete env.JEST_WORKER_ID;

const PASSED = (passed) => ({ code: 0, signal: null, stderr: '', passed, failed: 0 });

// How a runner ended, with the counts that `count` finds in what it printed; all of it if there
// are none.
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
    // With the subtest.
    await assertOnEachNode(PASSED(13), (node) => {
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
    await assertOnEachNode(PASSED(14), (node) => outcome(node, args, count));
  });

  it('jest, several files in one process, and it ends by itself', async () => {
    const config = path.join(JEST, 'jest.config.js');
    const args = [hosts.jest, '--config', config, '--runInBand', '--json', '--silent'];
    const count = (text) => {
      const { numPassedTests: passed, numFailedTests: failed, ...rest } = JSON.parse(text);
      return { passed, failed, files: rest.numPassedTestSuites, open: rest.openHandles.length };
    };
    // It reports on standard error.
    const work = async (node) => {
      const { stderr, ...rest } = await outcome(node, args, count);
      return { ...rest, complains: /did not exit|failed to exit|torn down|●/.test(stderr) };
    };
    const expected = { code: 0, signal: null, passed: 26, failed: 0, files: 2, open: 0 };
    await assertOnEachNode({ ...expected, complains: false }, work);
  });
});

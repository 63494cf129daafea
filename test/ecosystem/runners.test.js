'use strict';

// The package under test runners, of which mocha runs all other tests: loaded by the test files,
// loaded by register before them, and loaded when the timers are faked. Jest, and vitest in half of
// its pools, load it into a context for each test file. The tests that they run are in
// ../fixtures/runners/, hosts/jest/ and hosts/vitest/.
// @lane slow

const path = require('node:path');
const { FIXTURES, ROOT, assertOnEnds, nodes, run } = require('../helpers/loop.js');
const { finder } = require('../helpers/installed.js');

const find = finder('hosts');

const RUNNERS = path.join(FIXTURES, 'runners');
const JEST = path.join(__dirname, 'hosts', 'jest');
const JEST_30 = find('jest', 'jest', 'bin', 'jest.js');
const REGISTER = path.join(ROOT, 'register.js');

// A runner behaves differently if another one runs it.
const env = { ...process.env };
delete env.NODE_TEST_CONTEXT;
delete env.JEST_WORKER_ID;

// How a runner ended, with the counts that `count` finds in its output, or the whole output if it
// finds none.
async function outcome(node, args, count, options = {}) {
  const { stdout, ...end } = await run(node, args, { ...options, env: { ...env, ...options.env } });
  try {
    return { ...end, ...count(stdout) };
  } catch {
    return { ...end, stdout };
  }
}

const countOfJest = (text) => {
  const { numPassedTests: passed, numFailedTests: failed, ...rest } = JSON.parse(text);
  return { passed, failed, files: rest.numPassedTestSuites, open: rest.openHandles?.length };
};

describe('under a test runner the package keeps its guarantees', () => {
  const countOf = (text, what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(text)[1]);
  const countOfNode = (text) => ({ passed: countOf(text, 'pass'), failed: countOf(text, 'fail') });
  for (const [WAY, passed] of Object.entries({ plain: 9, registered: 15, late: 6 })) {
    it(`node:test, ${WAY}`, async () => {
      const flags = WAY === 'registered' ? ['--require', REGISTER] : [];
      const args = [...flags, '--test', '--test-reporter=tap', path.join(RUNNERS, 'node-test.js')];
      const expected = { code: 0, signal: null, stderr: '', passed, failed: 0 };
      await assertOnEnds(expected, (node) => outcome(node, args, countOfNode, { env: { WAY } }));
    });
  }

  // Test files in each environment and in each way to load the package.
  const common = { rootDir: JEST, transform: {} };
  const WAYS = {
    plain: {},
    registered: { setupFiles: [REGISTER] },
    late: { fakeTimers: { enableGlobally: true } },
  };
  const resolve = (name, ...paths) => require.resolve(name, { paths: [JEST, ...paths] });
  const configOf = (environments, plainNode) => ({
    rootDir: JEST, testTimeout: 60_000, watchman: false,
    projects: Object.entries(environments).flatMap(([name, testEnvironment]) =>
      Object.entries(WAYS).map(([way, settings]) => ({
        ...common, displayName: `${name} ${way}`, testMatch: ['**/suite.js'], globals: { WAY: way },
        testEnvironment, ...settings, ...(name === 'node' && way === 'plain' ? plainNode : {}),
      }))),
  });
  const ofJest30 = () => configOf({
    node: resolve('jest-environment-node'), jsdom: resolve('jest-environment-jsdom'),
  }, { testEnvironment: path.join(JEST, 'environment.js') });
  const ofJest29 = () => configOf({
    node: require.resolve('jest-environment-node', { paths: [resolve('jest29/package.json')] }),
    jsdom: resolve('jsdom-environment29'),
  });

  const JESTS = {
    'jest 30, several files in one process, in both environments': { config: ofJest30 },
    'jest 29 in both environments': {
      bin: find('jest 29', 'jest29', 'bin', 'jest.js'), config: ofJest29,
    },
    'jest 30 in several processes': {
      config: ofJest30, flags: ['--maxWorkers', '2'], on: [nodes.at(-1)],
    },
    'jest 30 in a process that has preloaded register': {
      config: () => ({ ...common, watchman: false, testMatch: ['**/preloaded-suite.js'] }),
      passed: 3, files: 1,
      options: { env: { NODE_OPTIONS: `--require ${JSON.stringify(REGISTER)}` } },
    },
  };
  for (const [name, jest] of Object.entries(JESTS)) {
    const { bin = JEST_30, flags = ['--detectOpenHandles'], on, options } = jest;
    const { passed = 78, files = 6 } = jest;
    it(`${name}, which ends by itself without open handles`, async () => {
      const args = [bin, '--config', JSON.stringify(jest.config()), '--json', '--silent', ...flags];
      // Jest reports on standard error.
      const work = async (node) => {
        const { stderr, ...rest } = await outcome(node, args, countOfJest, options);
        return { ...rest, complains: stderr.match(/did not exit|failed to exit|torn down|●.*/) };
      };
      const expected = { code: 0, signal: null, passed, failed: 0, files, open: 0 };
      await assertOnEnds({ ...expected, complains: null }, work, { on });
    }).timeout(120_000);
  }

  const VITESTS = {
    'vitest 3': find('vitest', 'vitest', 'vitest.mjs'),
    'vitest 4': path.join(__dirname, 'vitest4', 'node_modules', 'vitest', 'vitest.mjs'),
  };
  for (const [name, vitest] of Object.entries(VITESTS)) {
    it(`${name} in each of its pools, which ends by itself`, async () => {
      const root = path.join(__dirname, 'hosts', 'vitest');
      const args = [vitest, 'run', '--root', root, '--reporter', 'json'];
      const count = (text) => {
        const { numPassedTests: passed, numFailedTests: failed, success } = JSON.parse(text);
        return { passed, failed, success };
      };
      const expected = { code: 0, signal: null, stderr: '', passed: 120, failed: 0, success: true };
      await assertOnEnds(expected, (node) => outcome(node, args, count));
    }).timeout(120_000);
  }
});

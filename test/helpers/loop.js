'use strict';

// Runs programs on every Node version of test/nodes and compares what they print. The programs of a
// test file are the scenarios of test/fixtures/scenarios/, each run in a child process per version.

const assert = require('node:assert').strict;
const path = require('node:path');
const programs = require('./programs.js');
const nodes = require('../nodes');

const { FIXTURES, LIMIT, mapSome, run } = programs;

const SCENARIO = path.join(FIXTURES, 'scenario.js');

// Options of Node for programs that log an order.
const FLAGS = process.env.TEST_NODE_FLAGS?.split(' ') ?? [];

// In a matrix the oldest and the newest Node, else undefined.
const ENDS = process.env.TEST_MATRIX?.split(',').map(Number);

// Whether `npm test` has run the programs on the Node of a matrix already.
const hasRun = ENDS?.includes(nodes[0].major) ?? false;

// Calls `work` for every Node version, and asserts that each call returns `expected`. A failure
// shows { 'node 20.1.0': result, … }.
async function assertOnEachNode(expected, work, { on = nodes } = {}) {
  const results = await mapSome(on, work);
  const byNode = (valueOf) => Object.fromEntries(on.map((node, index) =>
    [`node ${node.version}`, valueOf(node, index)]));
  const expectedOn = typeof expected === 'function' ? expected : () => expected;
  assert.deepEqual(byNode((_, index) => results[index]), byNode(expectedOn));
}

// The oldest and the newest Node, for third-party programs: the tests of the package itself run on
// the others, too.
const endNodes = [...new Set([nodes.at(0), nodes.at(-1)])];

const assertOnEnds = (expected, work, { on = endNodes } = {}) =>
  assertOnEachNode(expected, work, { on });

// Returns what a program with fixtures/order.js printed, or all that is known of the run if it
// failed.
async function order(node, args, options = {}) {
  const { code = 0, signal = null, stderr = /^$/ } = options;
  const result = await run(node, [...FLAGS, ...args], options);
  const ended = result.code === code && result.signal === signal && stderr.test(result.stderr);
  return ended ? result.stdout : result;
}

// Defines a test for each scenario of a set. Its title states the guarantee, and `expected` is what
// it prints on every Node version. `needs` is a tag of test/portable/tags.js.
function testScenarios(set) {
  if (hasRun) return;
  const scenarios = require(path.join(FIXTURES, 'scenarios', `${set}.js`));
  for (const [title, scenario] of Object.entries(scenarios)) {
    const { expected, flags = [], needs } = scenario;
    it(needs === undefined ? title : `${title} @${needs}`, async () => {
      const args = [...flags, SCENARIO, set, title];
      await assertOnEachNode(expected, (node) => order(node, args, scenario));
    }).timeout(4 * LIMIT);
  }
}

// Defines a test for each title of `expected`, for all of which one program runs on every Node
// version: it prints, by title, what it found as JSON.
function testTogether(args, expected, { env = process.env, on = nodes } = {}) {
  if (hasRun) return;
  const found = {};

  before(async function () {
    this.timeout(4 * LIMIT);
    await assertOnEachNode({ code: 0, signal: null, stderr: '' }, async (node) => {
      const { stdout, ...end } = await run(node, args, { env });
      if (end.code === 0) found[`node ${node.version}`] = JSON.parse(stdout);
      return end;
    }, { on });
  });

  for (const [title, wanted] of Object.entries(expected)) {
    it(title, () => {
      for (const [name, results] of Object.entries(found)) {
        assert.deepEqual(results[title], wanted, name);
      }
    });
  }
}

module.exports = {
  ...programs,
  ENDS,
  assertOnEachNode,
  assertOnEnds,
  endNodes,
  hasRun,
  nodes,
  order,
  testScenarios,
  testTogether,
};

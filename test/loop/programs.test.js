'use strict';

// The programs whose output the contract fixes, on every supported Node version, and program 1
// under entry points that start elsewhere in the loop.

const fs = require('node:fs');
const path = require('node:path');
const { FIXTURES, assertOnEachNode, order } = require('../helpers/loop.js');

const TIMES = 2;

// In an ES module microtasks run before ticks.
const FROM_MAIN_SCRIPT = 'tick micro ub t0 uv imm bg';
const FROM_POLL_PHASE = 'tick micro ub uv imm t0 bg';
const fromMicrotask = (order) => order.replace('tick micro', 'micro tick');

const PROGRAMS = {
  'program-1.js': FROM_MAIN_SCRIPT,
  'program-2.js': 'A ub B uv bg',
  'program-3.js': 'ub t0 imm bg',
  'program-4.js': 'ub uv imm t0 bg1 bg2',
  'program-5.js': 't1 y1 y2 y3 t2 t3',
};

const TITLES = {
  'program-1.js': 'the main script: ticks and microtasks, user-blocking, timers, then the rest',
  'program-2.js': 'a timer: its user-blocking task comes before the next timer that is due',
  'program-3.js': 'an immediate: its user-blocking task comes before timers and immediates',
  'program-4.js': 'an I/O callback: its tasks come before immediates and timers',
  'program-5.js': 'a chain of yields in a timer goes on before the next timer that is due',
};

describe('the order of the contract’s programs', () => {
  for (const [file, expected] of Object.entries(PROGRAMS)) {
    it(TITLES[file], async () => {
      const work = (node) => order(node, [path.join(FIXTURES, file)], expected);
      await assertOnEachNode(expected, work, { times: TIMES });
    });
  }
});

describe('the order of program 1 under other entry points', () => {
  const program = path.join(FIXTURES, 'program-1.js');
  const source = fs.readFileSync(program, 'utf8');

  it('an ES module runs its microtasks before its ticks', async () => {
    const file = path.join(FIXTURES, 'program-1-module.mjs');
    const expected = ({ major }) => {
      return fromMicrotask(major === 20 ? FROM_POLL_PHASE : FROM_MAIN_SCRIPT);
    };
    const work = (node) => order(node, [file], expected(node));
    await assertOnEachNode(expected, work, { times: TIMES });
  });

  it('code after a top-level await of I/O starts in the poll phase', async () => {
    const file = path.join(FIXTURES, 'program-1-after-io.mjs');
    const expected = fromMicrotask(FROM_POLL_PHASE);
    await assertOnEachNode(expected, (node) => order(node, [file], expected), { times: TIMES });
  });

  it('a worker starts in the poll phase', async () => {
    const script = `new (require('node:worker_threads').Worker)(${JSON.stringify(program)})`;
    const work = (node) => order(node, ['-e', script], FROM_POLL_PHASE);
    await assertOnEachNode(FROM_POLL_PHASE, work, { times: TIMES });
  });

  for (const args of [[], ['-']]) {
    it(`a program on standard input (node ${args}) starts in the poll phase`, async () => {
      const work = (node) => order(node, args, FROM_POLL_PHASE, { input: source });
      await assertOnEachNode(FROM_POLL_PHASE, work, { times: TIMES });
    });
  }
});

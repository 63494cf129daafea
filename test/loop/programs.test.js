'use strict';

// One of everything, posted under each entry point, which start elsewhere in the loop: on every
// supported Node version. fixtures/scenarios/event-loop.js has the other places.
// @host programs each-node

const fs = require('node:fs');
const path = require('node:path');
const { FIXTURES, assertOnEachNode, order } = require('../helpers/loop.js');

const file = (name) => path.join(FIXTURES, name);
const PROGRAM = file('program-1.js');
const INPUT = fs.readFileSync(PROGRAM, 'utf8');
const WORKER = `new (require('node:worker_threads').Worker)(${JSON.stringify(PROGRAM)})`;

// In an ES module microtasks run before ticks.
const FROM_MAIN_SCRIPT = 'tick micro ub t0 uv imm bg';
const FROM_POLL_PHASE = 'tick micro ub uv imm t0 bg';
const fromMicrotask = (order) => order.replace('tick micro', 'micro tick');

const ENTRIES = {
  'the main script: ticks and microtasks, user-blocking, timers, then the rest':
    { args: [PROGRAM], expected: FROM_MAIN_SCRIPT },
  'an ES module runs its microtasks before its ticks': {
    args: [file('program-1-module.mjs')],
    expected: ({ major }) => fromMicrotask(major === 20 ? FROM_POLL_PHASE : FROM_MAIN_SCRIPT),
  },
  'code after a top-level await of I/O starts in the poll phase':
    { args: [file('program-1-module.mjs'), 'after-io'], expected: fromMicrotask(FROM_POLL_PHASE) },
  'a worker starts in the poll phase': { args: ['-e', WORKER], expected: FROM_POLL_PHASE },
  'a program on standard input starts in the poll phase':
    { args: ['-'], input: INPUT, expected: FROM_POLL_PHASE },
};

describe('the order of a program', () => {
  for (const [title, { args, input, expected }] of Object.entries(ENTRIES)) {
    it(title, () => assertOnEachNode(expected, (node) => order(node, args, { input })));
  }
});

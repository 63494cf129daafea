'use strict';

// Work of the scheduler beside callbacks that are no tasks, and never pause. core/tests/ judges the
// shares of both, portable/guarantees.test.js that background work has none.
// @host each-node

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { scheduler } = require('../..');
const { busy } = require('../helpers/busy.js');

// By name: arms a callback again.
const SOURCES = {
  'I/O': (again) => fs.stat(__filename, again),
  'timers': (again) => setTimeout(again, 0),
  'immediates': (again) => setImmediate(again),
};

const COUNT = 300;

describe('beside callbacks that are no tasks and never pause,', () => {
  for (const [source, arm] of Object.entries(SOURCES)) {
    // One piece for each callback would be all that code gets which has no share of the thread.
    it(`user-visible code does more than a piece for each callback: ${source}`, async () => {
      let others = 0;
      let isOver = false;
      const other = () => {
        others++;
        busy(5);
        if (!isOver) arm(other);
      };
      arm(other);
      const before = await scheduler.postTask(async () => {
        const before = others;
        for (let i = 0; i < COUNT; i++) {
          busy(0.2);
          await scheduler.yield();
        }
        return before;
      });
      isOver = true;
      const between = others - before;
      assert.ok(between > 0 && between < COUNT, `${between} callbacks`);
    });
  }
});

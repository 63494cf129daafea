'use strict';

// Work of the scheduler beside callbacks that are no tasks, and never pause.
// @host each-node

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { pieces, scheduler, shouldYield } = require('../..');
const { busy } = require('../helpers/busy.js');

// By name: arms a callback again.
const SOURCES = {
  'I/O': (again) => fs.stat(__filename, again),
  timers: (again) => setTimeout(again, 0),
  immediates: (again) => setImmediate(again),
};

const COUNT = 300;

// By name: does so many pieces of work.
const IDIOMS = {
  async 'pieces()'(work) {
    for await (const length of pieces(new Array(COUNT).fill(0.2))) work(length);
  },
  async 'shouldYield()'(work) {
    for (let i = 0; i < COUNT; i++) {
      work();
      if (shouldYield()) await scheduler.yield();
    }
  },
  async 'yield()'(work) {
    for (let i = 0; i < COUNT; i++) {
      work();
      await scheduler.yield();
    }
  },
};

// Resolves to the number of callbacks of 5 ms that run while the pieces of 0.2 ms do.
async function countOthers(arm, run) {
  let others = 0;
  let isOver = false;
  const other = () => {
    others++;
    busy(5);
    if (!isOver) arm(other);
  };
  arm(other);
  await new Promise((resolve) => setImmediate(resolve));
  const before = others;
  await run((length = 0.2) => busy(length));
  isOver = true;
  return others - before;
}

describe('beside callbacks that are no tasks and never pause,', () => {
  for (const [source, arm] of Object.entries(SOURCES)) {
    for (const [idiom, run] of Object.entries(IDIOMS)) {
      // One piece for each callback would be 300 of them. At most a slice of pieces for each
      // callback is 12.
      it(`a page with ${idiom} has a share of the thread: ${source}`, async () => {
        const inTask = await countOthers(arm, (work) => scheduler.postTask(() => run(work)));
        assert.ok(inTask <= COUNT / 3, `${inTask} callbacks`);
        assert.ok(inTask >= 5, `${inTask} callbacks`);
        const behindIO = await countOthers(arm, (work) => new Promise((resolve) => {
          fs.stat(__filename, () => resolve(run(work)));
        }));
        assert.ok(behindIO <= COUNT / 3, `${behindIO} callbacks`);
      });
    }

    it(`background work has none: ${source}`, async () => {
      let isOver = false;
      const other = () => {
        busy(1);
        if (!isOver) arm(other);
      };
      arm(other);
      const options = { priority: 'background' };
      const order = [];
      const background = scheduler.postTask(() => order.push('background'), options);
      await scheduler.postTask(async () => {
        for (let i = 0; i < 50; i++) {
          busy(1);
          await scheduler.yield();
        }
      });
      order.push('user-visible');
      isOver = true;
      await background;
      assert.deepEqual(order, ['user-visible', 'background']);
    });
  }
});

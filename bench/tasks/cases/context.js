'use strict';

// Repeats a batch and serial yields while the application uses an AsyncLocalStorage, as most
// servers do.

const { AsyncLocalStorage } = require('node:async_hooks');
const { ROWS } = require('../contenders.js');
const { measureContender, timePerTask } = require('../batches.js');
const { yieldSerially } = require('./yields.js');

const BATCH = 1e4;

const storage = new AsyncLocalStorage();

function contextCases({ atLeast, yields }) {
  return [
    {
      name: 'context-batch-1e4',
      title: 'batch of 10^4 tasks with an AsyncLocalStorage in use',
      unit: 'ns/task',
      rows: ROWS.post,
      goals: [],
      measure: measureContender(
        { method: 'post', count: BATCH },
        async (contender) => {
          const prepare = () => (task) => contender.post(task);
          const value = await storage.run({}, timePerTask, BATCH, atLeast, prepare);
          return { value };
        },
      ),
    },
    {
      name: 'context-yield',
      title: `${yields} serial yields outside any task with an AsyncLocalStorage in use`,
      unit: 'ns/yield',
      rows: ROWS.yield,
      goals: [],
      measure: measureContender(
        { method: 'yield' },
        async (contender) => ({ value: await storage.run({}, yieldSerially, contender, yields) }),
      ),
    },
  ];
}

module.exports = { contextCases };

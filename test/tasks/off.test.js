'use strict';

// UV_SCHEDULER_DISABLE=all: tasks are immediates in the order of posting, with all else that tasks
// have.
// @host programs runtimes

const path = require('node:path');
const { FIXTURES, testTogether } = require('../helpers/loop.js');

const ORDER = 'background visible blocking keyed bounded weak other key last';

describe('tasks while the scheduler is off', () => {
  testTogether([path.join(FIXTURES, 'off.js')], {
    'start in the order of posting, whatever their options': ORDER,
    'start in the order of posting beside immediates and continuations':
      'immediate 1, task 1, immediate 2, continuation, task 2',
    'keep their places when their priority changes': 'first raised last',
    'wait for their delays, and then start in their order':
      { inOrder: true, early: 0, waited: true },
    'are rejected at once when they are aborted, and never start':
      'over, over, over, over, over, next',
    'are never told to yield': [false],
    'take all pieces in one callback, which an abort ends': [36, 0, 'over at 1'],
    'start while the loop sleeps if they do not keep the process alive': 'started',
    'include idle callbacks, which have time and can be cancelled': [true, false],
    'go on behind an uncaught exception': ['uncaught', 'next'],
    'are watched by monitors and by reports of slow tasks':
      { queued: 1, background: 2, visible: 2, waits: 2, ran: true, keys: 0 },
    'are the same with any settings': ['off', 1, ORDER],
    'are the same in a worker thread': ['off', ORDER],
  });
});

'use strict';

// React's scheduler/unstable_post_task, which posts to the global scheduler.

const { configure } = require('../../../..');
const { busy, log } = require('../../../fixtures/order.js');

// In ms: a machine does not use it up by being slow.
const SLICE = 500;

// The client's calls of the functions that register has installed, which show that it uses these
// and nothing of its own.
const calls = { postTask: 0, yield: 0 };
const { scheduler } = globalThis;
for (const name of Object.keys(calls)) {
  const original = scheduler[name];
  scheduler[name] = (...args) => {
    calls[name]++;
    return original.apply(scheduler, args);
  };
}

// The line that a program on Node needs: the module reads the clock and the timer from `window`.
globalThis.window = globalThis;

const {
  unstable_IdlePriority: IDLE,
  unstable_ImmediatePriority: IMMEDIATE,
  unstable_LowPriority: LOW,
  unstable_NormalPriority: NORMAL,
  unstable_UserBlockingPriority: USER_BLOCKING,
  unstable_cancelCallback: cancel,
  unstable_getCurrentPriorityLevel: currentLevel,
  unstable_scheduleCallback: schedule,
  unstable_shouldYield: shouldYield,
} = require('scheduler/unstable_post_task');

const logs = (name) => () => log(`${name}:${currentLevel()}`);

function order() {
  configure({ timeSlice: SLICE });
  setTimeout(() => log('timer'), 0);
  setImmediate(() => log('immediate'));
  schedule(IDLE, () => {
    logs('idle')();
    schedule(IMMEDIATE, () => log(`delayed:${JSON.stringify(calls)}`), { delay: 5 });
  });
  schedule(LOW, logs('low'));
  cancel(schedule(USER_BLOCKING, logs('cancelled')));
  // React goes on in a continuation when its callback returns a function.
  schedule(NORMAL, () => {
    logs('normal')();
    busy(SLICE);
    log(`shouldYield:${shouldYield()}`);
    return logs('continuation');
  });
  schedule(NORMAL, logs('normal'));
  schedule(USER_BLOCKING, logs('blocking'));
  schedule(IMMEDIATE, logs('urgent'));
  busy(5);
}

setImmediate(order);

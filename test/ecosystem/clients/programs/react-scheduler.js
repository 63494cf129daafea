'use strict';

// React's scheduler/unstable_post_task, which posts to the global scheduler.

const { busy } = require('../../../helpers/busy.js');

const log = (line) => console.log(line);

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
  schedule(IDLE, () => {
    logs('idle')();
    schedule(IMMEDIATE, () => log(`delayed:${JSON.stringify(calls)}`), { delay: 1 });
  });
  schedule(LOW, logs('low'));
  cancel(schedule(USER_BLOCKING, logs('cancelled')));
  // React goes on in a continuation when its callback returns a function.
  schedule(NORMAL, () => {
    logs('normal')();
    busy(6);
    log(`shouldYield:${shouldYield()}`);
    return logs('continuation');
  });
  schedule(NORMAL, logs('normal'));
  schedule(USER_BLOCKING, logs('blocking'));
  schedule(IMMEDIATE, logs('urgent'));
}

order();

'use strict';

// React's scheduler/unstable_post_task, which posts to the global scheduler.

const { busy } = require('../../../helpers/busy.js');

const log = (line) => console.log(line);

// The calls of what register has installed show that the client uses this and nothing of its own.
let posted = 0;
const { scheduler } = globalThis;
const { postTask } = scheduler;
scheduler.postTask = (...args) => {
  posted++;
  return postTask.apply(scheduler, args);
};

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
    schedule(IMMEDIATE, () => log(`delayed:${posted}`), { delay: 1 });
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

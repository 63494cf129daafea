'use strict';

// main-thread-scheduling, whose idle strategy waits for idle callbacks. It is written for bundlers.

const calls = require('./calls.js');
const { busy, log } = require('../../../fixtures/order.js');
const { buildSync } = require('esbuild');

require('./jsdom.js');

const { outputFiles } = buildSync({
  stdin: { contents: "export * from 'main-thread-scheduling'", resolveDir: __dirname },
  bundle: true,
  format: 'cjs',
  write: false,
});
const client = { exports: {} };
new Function('module', 'exports', outputFiles[0].text)(client, client.exports);
const { isTimeToYield, yieldControl, yieldOrContinue } = client.exports;

const { TaskController, scheduler } = globalThis;
const logs = (name) => () => log(name);

async function order() {
  const idle = yieldControl('idle').then(logs('idle'));
  const { signal } = new TaskController({ priority: 'background' });
  const tasks = [
    scheduler.postTask(logs('background'), { signal }),
    scheduler.postTask(logs('user-visible')),
    scheduler.postTask(logs('user-blocking'), { priority: 'user-blocking' }),
  ];
  await Promise.all([idle, ...tasks]);
}

// Idle work in many steps, and a timer that it must not hold up.
async function steps() {
  const before = calls.requestIdleCallback;
  let isOver = false;
  let timers = 0;
  const tick = () => {
    timers++;
    if (!isOver) setTimeout(tick, 1);
  };
  setTimeout(tick, 1);
  for (let step = 0; step < 40; step++) {
    busy(1);
    await yieldOrContinue('idle');
  }
  isOver = true;
  log(calls.requestIdleCallback > before + 2 ? 'requested' : 'never requested');
  log(timers > 2 ? 'timers ran' : 'no timer ran');
}

async function abort() {
  busy(20);
  log(`time to yield: ${isTimeToYield('idle')}`);
  const controller = new TaskController();
  const idle = yieldControl('idle', controller.signal);
  controller.abort();
  await idle.catch((error) => log(error.name));
}

setImmediate(async () => {
  await order();
  await steps();
  await abort();
});

'use strict';

// Signals for each kind of use: controllers that are dropped, delays that are aborted, composite
// signals on sources that live long, joins of shared tasks, and controllers of responses. The host
// itself manages composites that their sources can abort, so its own API is their control.
// ecosystem/sites.test.js measures real servers.

const { SharedTask, TaskController, TaskSignal, scheduler } = require('../..');
const { controllerFor } = require('uv-scheduler/http');
const { leave, makeResponse } = require('../helpers/admission-clock.js');
const { inBatches, soak } = require('../helpers/memory.js');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

// Never reached.
const FAR = 60_000;

const ignore = () => {};
const never = () => new Promise(ignore);
const post = (options) => scheduler.postTask(ignore, options);

// The source of those that live short.
const source = new TaskController();
const { signal: long } = source;

// Changes it once for each batch.
function change(index) {
  if (index % 1000 === 0) source.setPriority(PRIORITIES[index / 1000 % 3]);
}

// Items that end when the signal that all of a batch have is aborted.
function leaving(make) {
  let controller = new TaskController();
  return inBatches((index) => make(controller.signal, index).catch(ignore), {
    release() {
      controller.abort();
      controller = new TaskController();
    },
  });
}

// Items with a controller of their own.
const controlled = (use) =>
  inBatches((index) => use(new TaskController({ priority: 'background' }), index));

const follow = () => TaskSignal.any([], { priority: long });

// Responses, each with a controller and a task.
const responses = (options, use) => ({
  count: 200_000,
  run: inBatches(() => {
    const response = makeResponse('/');
    const { signal } = controllerFor(response, { fairnessKey: 'key' });
    const task = post({ signal, ...options }).catch(ignore);
    use(response);
    return task;
  }),
});

function listenForAWhile(target, type) {
  const listener = () => {};
  target.addEventListener(type, listener);
  target.removeEventListener(type, listener);
}

// A control in which the package is not used.
const plain = new AbortController().signal;

const task = new SharedTask(() => scheduler.yield());
const endless = new SharedTask(never);
endless.join();

soak({
  'controllers, each with a task that it raises': controlled((controller) => {
    const posted = post({ signal: controller.signal });
    controller.setPriority('user-blocking');
    return posted;
  }),

  'controllers that abort their delayed task': controlled((controller, index) => {
    const posted = post({ signal: controller.signal, delay: FAR + index }).catch(ignore);
    controller.abort();
    return posted;
  }),

  'controllers with listeners and no task': controlled((controller) => {
    controller.signal.addEventListener('prioritychange', () => {});
    controller.signal.onprioritychange = () => {};
    controller.setPriority('user-visible');
  }),

  'delayed tasks that run':
    controlled(({ signal }, index) => post({ signal, delay: 1 + index % 2 })),

  'composite signals that heard of one change': inBatches((index) => {
    follow().addEventListener('prioritychange', () => {}, { once: true });
    change(index);
  }),

  'composite signals that had a listener':
    inBatches(() => listenForAWhile(follow(), 'prioritychange')),

  'composite signals with a task': inBatches(() => post({ signal: follow() })),

  'composite signals that can be aborted': {
    run: inBatches(() => void TaskSignal.any([long], { priority: long })),
    control: inBatches(() => void AbortSignal.any([plain])),
  },

  // A listener left behind would keep the signal alive for ever.
  'composite signals that can be aborted, with a task': {
    run: inBatches(() => post({ signal: TaskSignal.any([long]) })),
    control: inBatches(() => listenForAWhile(AbortSignal.any([plain]), 'abort')),
  },

  'joins that follow a signal that lives long': inBatches((index) => {
    change(index);
    return task.join({ signal: long });
  }),

  'joins with a signal each': controlled(({ signal }) => task.join({ signal })),

  'joins that leave a run that never ends':
    leaving((signal) => endless.join({ priority: long, signal })),

  'joins with a signal each that leave such a run': controlled((controller) => {
    const promise = endless.join({ signal: controller.signal }).catch(ignore);
    controller.abort();
    return promise;
  }),

  'responses that are answered': responses({}, (response) => response.end('answer')),

  'responses whose clients leave': responses({ delay: FAR }, leave),

  'shared tasks whose runs join another one':
    inBatches(() => new SharedTask(() => task.join()).join()),

  'shared tasks whose runs are aborted':
    leaving((signal) => new SharedTask(ignore, { abortWhenUnused: true }).join({ signal })),

  // The signal that lives long must not hold them.
  'shared tasks whose runs never settle': inBatches(
    () => void new SharedTask(never).join({ priority: long }),
    { release: () => post({ priority: 'background' }) }),
});

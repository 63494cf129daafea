// Programs that run in a page with the entry for browsers. Each returns what it has found.

/* global Scheduler, Worker, scheduler, window */

import * as api from '/uv-scheduler.js';

const { TaskController, onIdle, pieces, shouldYield, wait } = api;

function busy(time) {
  const end = performance.now() + time;
  while (performance.now() < end);
}

const messageOf = (work) => {
  try {
    return work();
  } catch ({ code, message }) {
    return `${code} ${message}`;
  }
};

export function identity() {
  const names = ['Scheduler', 'TaskController', 'TaskSignal', 'TaskPriorityChangeEvent',
    'IdleDeadline'];
  const members = Object.getOwnPropertyNames(Scheduler.prototype);
  return {
    isOwn: api.scheduler === scheduler && names.every((name) => api[name] === window[name]),
    isPatched: members.includes('wait') || Object.keys(scheduler).length > 0,
    drain: messageOf(() => api.drain()),
  };
}

// The order of tasks, and of a continuation and of waits that inherit.
export async function order() {
  const names = [];
  const log = (name) => () => names.push(name);
  await Promise.all([
    scheduler.postTask(log('bg'), { priority: 'background' }),
    scheduler.postTask(log('uv')),
    scheduler.postTask(log('ub'), { priority: 'user-blocking' }),
  ]);
  await scheduler.postTask(async () => {
    await wait(20);
    names.push('waited');
    const visible = scheduler.postTask(log('visible'));
    await wait(0);
    names.push('background');
    await visible;
  }, { priority: 'background' });
  return names;
}

// The items that are taken of 400, each 1 ms long, until another task aborts the signal.
export async function aborts() {
  const items = Array.from({ length: 400 }, (_, item) => item);
  const found = {};
  for (const way of ['inherited', 'given', 'of a TaskController']) {
    const controller = way === 'given' ? new AbortController() : new TaskController();
    const { signal } = controller;
    let count = 0;
    let isClosed = false;
    function* source() {
      try {
        yield* items;
      } finally {
        isClosed = true;
      }
    }
    const read = async () => {
      for await (const item of pieces(source(), way === 'inherited' ? {} : { signal })) {
        count = item + 1;
        busy(1);
      }
    };
    const reading = scheduler.postTask(read, way === 'inherited' ? { signal } : {});
    scheduler.postTask(() => controller.abort(way), { priority: 'user-blocking', delay: 10 });
    const reason = await reading.catch((error) => error);
    // The task is rejected at once, its code at its next yield.
    await onIdle();
    found[way] = { reason, isClosed, isEarly: count < items.length };
  }
  const controller = new TaskController();
  const waiting = wait(60_000, { signal: controller.signal });
  controller.abort('waited enough');
  found.wait = await waiting.catch((reason) => reason);
  return found;
}

// How many slices 200 ms of work take, for one function and for ten.
export async function slices() {
  const found = {};
  for (const priority of ['user-blocking', 'user-visible', 'background']) {
    for (const count of [1, 10]) {
      let yields = 0;
      const work = async () => {
        for (let step = 0; step < 200 / count; step++) {
          busy(1);
          if (!shouldYield()) continue;
          yields++;
          await scheduler.yield();
        }
      };
      await scheduler.postTask(() => Promise.all(Array.from({ length: count }, work)), { priority });
      found[`${priority} ${count}`] = yields;
    }
  }
  return found;
}

export async function idle() {
  const names = [];
  scheduler.postTask(() => names.push('background'), { priority: 'background' });
  scheduler.postTask(() => names.push('visible'));
  await onIdle();
  return names;
}

// The same entry in a worker, which has no idle callbacks.
export function inWorker() {
  const worker = new Worker('/worker.js', { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
}

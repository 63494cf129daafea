// Programs that run in a page with the entry for browsers. Each returns what it has found.

/* global Worker, document, scheduler, window */

import * as api from '/uv-scheduler.js';

const { onIdle, pieces, wait } = api;

function busy(time) {
  const end = performance.now() + time;
  while (performance.now() < end);
}

// Whether the exports are the page's own, and whether its scheduler was changed.
export function identity() {
  const names = ['scheduler', 'Scheduler', 'TaskController', 'TaskSignal',
    'TaskPriorityChangeEvent', 'IdleDeadline'];
  const isOwn = names.every((name) => api[name] === window[name]);
  return [isOwn, 'wait' in scheduler || Object.keys(scheduler).length > 0];
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
  scheduler.postTask(log('last'), { priority: 'background' });
  await onIdle();
  return [...names, 'idle'];
}

// The same entry in a worker.
export function inWorker() {
  const worker = new Worker('/worker.js', { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
}

// Begins to show a list of items of 2 ms in pieces, until the button was clicked so many times.
// `window.shown` resolves to the number of items.
export function begin(clicks) {
  let seen = 0;
  document.querySelector('button').addEventListener('click', () => seen++);
  function* items() {
    for (let item = 0; seen < clicks; item++) yield item;
  }
  const show = async () => {
    for await (const item of pieces(items())) {
      busy(2);
      const element = Object.assign(document.createElement('li'), { textContent: item });
      document.querySelector('ol').append(element);
    }
    return document.querySelectorAll('li').length;
  };
  window.shown = show();
}

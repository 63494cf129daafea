// Stands for uv-scheduler: work is cut by immediates, as one would do it in plain Node, and runs in
// the order in which it comes. It ends by the same signals.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { controllerFor as controllerForResponse, shutDown } from '../shop/plain/http.js';
import { SharedTask } from '../shop/plain/index.js';

export { SharedTask, shutDown };

const SLICE = 5;

const running = new Set();

async function postTask(callback, { signal } = {}) {
  const task = (async () => {
    signal?.throwIfAborted();
    return callback();
  })();
  running.add(task);
  try {
    return await task;
  } finally {
    running.delete(task);
  }
}

export function configure() {}

export const scheduler = { postTask, yield: async ({ signal }) => signal?.throwIfAborted() };

export async function* pieces(items, { signal }) {
  const source = (items[Symbol.asyncIterator] ?? items[Symbol.iterator]).call(items);
  const ended = new AbortController();
  const aborted = once(signal, 'abort', { signal: ended.signal }).catch(() => {});
  let end = performance.now() + SLICE;
  try {
    for (;;) {
      const next = source.next();
      const { done, value } = next instanceof Promise ? await Promise.race([next, aborted]) : next;
      signal.throwIfAborted();
      if (done) return;
      yield value;
      if (performance.now() < end) continue;
      await new Promise((resolve) => setImmediate(resolve));
      end = performance.now() + SLICE;
    }
  } finally {
    ended.abort();
    source.return?.();
  }
}

export function controllerFor(responseOrSignal) {
  if (!(responseOrSignal instanceof AbortSignal)) return controllerForResponse(responseOrSignal);
  const controller = new AbortController();
  const signal = AbortSignal.any([responseOrSignal, controller.signal]);
  return { signal, abort: (reason) => controller.abort(reason) };
}

export const createAdmission = () => ({
  handler: (listener) => (req, res) => void postTask(() => listener(req, res)),
});

export const drain = ({ timeout }) =>
  Promise.race([Promise.allSettled(running), sleep(timeout, undefined, { ref: false })]);

// onIdle() in a page, which does not say which tasks wait. Waits until the tasks that are queued
// have run, as a background task does, and then for an idle period, where the browser tells.

import { readOptions, toSignal } from './arguments.mjs';
import { noop } from './pause.mjs';

const MEMBERS = { signal: toSignal };

export function onIdleOf({ cancelIdleCallback, requestIdleCallback, scheduler }) {
  const untilIdlePeriod = (signal) => new Promise((resolve, reject) => {
    const abort = () => {
      cancelIdleCallback(handle);
      reject(signal.reason);
    };
    const handle = requestIdleCallback(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort);
  });

  return async function onIdle(options = undefined) {
    const { signal } = readOptions('onIdle', options, MEMBERS);
    await scheduler.postTask(noop, { priority: 'background', signal });
    if (requestIdleCallback !== undefined) await untilIdlePeriod(signal);
  };
}

// A worker of a page, which reports what it has found.

/* global postMessage */

import { onIdle, pieces, requestIdleCallback, scheduler, wait } from '/uv-scheduler.js';

let sum = 0;
for await (const item of pieces([1, 2, 3])) sum += item;
await wait(1);
await onIdle();
let code;
try {
  requestIdleCallback(() => {});
} catch (error) {
  ({ code } = error);
}
postMessage({ sum, isOwn: scheduler === globalThis.scheduler, code });

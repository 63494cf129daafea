// shouldYield() in a page, which does not say what waits: true if the user has done something that
// the browser reports as pending input, or if the slice is used up. A slice begins with the first
// question in a task.
//
// Nor does a page say where a task ends. So each slice posts a task that ends the slice. That task
// comes late while more urgent code runs. So if the answer is true, this function also calls
// yield(): its continuation runs before that of the caller, and ends the slice.

import { noop } from './pause.mjs';

// In ms, as in Node.
const TIME_SLICE = 5;

// The browser is asked for input once in this many ms.
const BETWEEN_LOOKS = 1;

export function shouldYieldOf({ navigator, performance, queueMicrotask, scheduler }) {
  // 0 between two slices.
  let sliceEnd = 0;
  let endSlice;
  let nextLook;
  // Several answers in one callback need one continuation.
  let isEnding = false;

  function begin(time) {
    sliceEnd = time + TIME_SLICE;
    nextLook = time + BETWEEN_LOOKS;
    const end = () => {
      // A later slice has an end of its own.
      if (end === endSlice) sliceEnd = 0;
    };
    endSlice = end;
    scheduler.postTask(end, { priority: 'user-blocking' });
  }

  function isInputPending(time) {
    if (time < nextLook) return false;
    nextLook = time + BETWEEN_LOOKS;
    return navigator?.scheduling?.isInputPending?.() === true;
  }

  function endWithContinuation() {
    if (isEnding) return;
    isEnding = true;
    // Rejected if the calling task is aborted.
    scheduler.yield().then(endSlice, noop);
    queueMicrotask(() => {
      isEnding = false;
    });
  }

  return function shouldYield() {
    const time = performance.now();
    if (sliceEnd === 0) begin(time);
    if (time < sliceEnd && !isInputPending(time)) return false;
    // The answer stays the same until the slice ends.
    sliceEnd = time;
    endWithContinuation();
    return true;
  };
}

'use strict';

// Defines the three compared ways of sharing the thread, behind one small interface. They only
// decide when a piece of work runs; the pieces are the same for all.
//
//   render(fn, { urgent, signal, label })  sections of a page, or its shell; urgent is what is on
//                                        the first screen; what monitors and traces call it
//   isSectionTask                        whether render() gets each section by itself; if not,
//                                        those of the first screen go with the shell, and the
//                                        others are together, or go with it, too
//   createPacer({ urgent, signal })      when to pause inside render(), with its options
//   setUp()                              called once, when the server starts; may be missing
//   background(fn, label)                a document for the search index
//   createBackgroundPacer()              when to pause inside a document

const { configure, scheduler, shouldYield } = require('uv-scheduler');

const { createClockPacer } = require('./pacer');

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

/** A strategy that starts every section by itself and pauses by the clock. */
function byClock({ pause, pauseBackground, ...rest }) {
  return {
    isSectionTask: true,
    createPacer: (options) => createClockPacer(() => pause(options)),
    createBackgroundPacer: () => createClockPacer(pauseBackground),
    ...rest,
  };
}

// Works like most programs: does work where it comes up. It renders a section at once, so it
// renders the whole page in one go. It rebuilds the index document by document with a turn of the
// loop between them, like a loop that awaits the reading of each file. Rebuilding the whole index
// in one go would be even more naive, and would look far worse.
const never = { due: () => false };
const unchunked = {
  name: 'no chunking',
  isSectionTask: false,
  async render(fn, { signal }) {
    signal.throwIfAborted();
    return fn();
  },
  createPacer: () => never,
  async background(fn) {
    await nextImmediate();
    return fn();
  },
  createBackgroundPacer: () => never,
};

// The usual way to stay responsive today: every piece is a separate immediate. All immediates are
// equal, so the index takes turns with the pages. More immediates get a page more turns, so each
// section has its own.
const immediate = byClock({
  name: 'setImmediate',
  async render(fn, { signal }) {
    await nextImmediate();
    signal.throwIfAborted();
    return fn();
  },
  pause: nextImmediate,
  async background(fn) {
    await nextImmediate();
    return fn();
  },
  pauseBackground: nextImmediate,
});

// The same pieces, but each has a priority and is aborted when its visitor leaves. They pause when
// somebody waits and not by the clock: while nobody does, a page is rendered in one go. A
// continuation inherits the priority and the signal of its task.
const whenAsked = { due: shouldYield, pause: () => scheduler.yield() };
const prioritized = {
  name: 'uv-scheduler',
  // As long as what is urgent may keep /health waiting. By default it is 5 ms.
  setUp: () => configure({ timeSlice: 2 }),
  isSectionTask: false,
  render: (fn, { urgent, signal, label }) =>
    scheduler.postTask(fn, { priority: urgent ? 'user-blocking' : 'user-visible', signal, label }),
  createPacer: () => whenAsked,
  background: (fn, label) => scheduler.postTask(fn, { priority: 'background', label }),
  createBackgroundPacer: () => whenAsked,
};

module.exports = { immediate, prioritized, unchunked };

'use strict';

// Defines the three compared ways of sharing the thread, behind one small interface. They only
// decide when a piece of work runs: the pieces, and the time after which a piece offers to pause,
// are the same for all.
//
//   render(fn, { urgent, signal })   a section of a page; urgent ones are on the first screen
//   pause({ urgent, signal })        inside a section, with the options of its render()
//   background(fn)                   a document for the search index
//   pauseBackground()                inside a document

const { scheduler } = require('../..');

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

// Works like most programs: does work where it comes up. It renders a section at once, so it
// renders the whole page in one go. It rebuilds the index document by document with a turn of the
// loop between them, like a loop that awaits the reading of each file. Rebuilding the whole index
// in one go would be even more naive, and would look far worse.
const unchunked = {
  name: 'no chunking',
  async render(fn, { signal }) {
    signal.throwIfAborted();
    return fn();
  },
  async pause() {},
  async background(fn) {
    await nextImmediate();
    return fn();
  },
  async pauseBackground() {},
};

// The usual way to stay responsive today: every piece is a separate immediate. All immediates are
// equal, so the index takes turns with the pages.
const immediate = {
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
};

// The same pieces, but each has a priority and is aborted when its visitor leaves. A continuation
// inherits the priority and the signal of its task.
const prioritized = {
  name: 'uv-scheduler',
  render: (fn, { urgent, signal }) =>
    scheduler.postTask(fn, { priority: urgent ? 'user-blocking' : 'user-visible', signal }),
  pause: () => scheduler.yield(),
  background: (fn) => scheduler.postTask(fn, { priority: 'background' }),
  pauseBackground: () => scheduler.yield(),
};

module.exports = { unchunked, immediate, prioritized };

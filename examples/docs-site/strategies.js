'use strict';

// Owns the three ways of sharing the thread that are compared, behind one small interface. They
// decide when a piece of work runs and nothing else: what the pieces are, and after what time a
// piece offers to pause, is the same for all.
//
//   render(fn, { urgent, signal })   a section of a page; urgent ones are on the first screen
//   pause({ urgent, signal })        inside a section, with the options it was given
//   background(fn)                   a document for the search index
//   pauseBackground()                inside a document

const { scheduler } = require('../..');

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

// How most programs are written: work is done where it comes up. A section is rendered at once, so
// the whole page is rendered in one go. The index is rebuilt document by document with a turn of
// the loop between them, as in a loop that awaits the reading of each file. Rebuilding all of it in
// one go would be more naive still, and would look far worse.
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

// What is done today to stay responsive: every piece is an immediate of its own. All immediates are
// peers, so the index gets its turn with the pages.
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

// The same pieces, but each says how urgent it is, and goes away when the visitor does. A
// continuation inherits the priority and the signal of its task.
const prioritized = {
  name: 'uv-scheduler',
  render: (fn, { urgent, signal }) =>
    scheduler.postTask(fn, { priority: urgent ? 'user-blocking' : 'user-visible', signal }),
  pause: () => scheduler.yield(),
  background: (fn) => scheduler.postTask(fn, { priority: 'background' }),
  pauseBackground: () => scheduler.yield(),
};

module.exports = { unchunked, immediate, prioritized };

'use strict';

// Decides when a piece of work runs. The benchmarks measure others with the same interface
// (bench/ssr/strategies.js):
//
//   render(fn, { urgent, signal, label })  a part of a page; urgent is what is on the first screen
//   isSectionTask      whether render() gets each section by itself; if not, those of the first
//                      screen go with the shell, and the others are together, or go with it, too
//   background(fn, label)                  a document for the search index
//   createPacer()      when to pause inside of both: the work asks due() between its pieces, and
//                      awaits pause() if the answer is yes
//   setUp()            called once, when the server starts

const { configure, scheduler, shouldYield } = require('uv-scheduler');

// Pauses when other work waits and not by the clock: while none does, a page is rendered in one go.
// A continuation inherits the priority and the signal of its task.
const pacer = { due: shouldYield, pause: () => scheduler.yield() };

module.exports = {
  name: 'uv-scheduler',
  isSectionTask: false,
  // As long as what is urgent may keep /health waiting. By default it is 5 ms.
  setUp: () => configure({ timeSlice: 2 }),
  render: (fn, { urgent, signal, label }) =>
    scheduler.postTask(fn, { priority: urgent ? 'user-blocking' : 'user-visible', signal, label }),
  background: (fn, label) => scheduler.postTask(fn, { priority: 'background', label }),
  createPacer: () => pacer,
};

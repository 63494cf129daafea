'use strict';

// The functions that the package loads when tasks are first watched. Bundled to dist/watching.js:
// as a part of dist/index.js, they would add a millisecond to each start of a program.

// Functions, as each program needs only some.
module.exports = {
  // For integrations.
  parts: () => require('./parts.js'),
  traceFromOutside: (name) => require('./trace.js').traceFromOutside(name),
  watchForSubscribers: () => require('./watch.js').watchForSubscribers(),
};

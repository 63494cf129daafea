'use strict';

// The lines of uv-scheduler/report on standard error.

const { writeSync } = require('node:fs');
const { isMainThread, threadId } = require('node:worker_threads');

const STANDARD_ERROR = 2;

const PREFIX = `[uv-scheduler ${process.pid}${isMainThread ? '' : `:${threadId}`}]`;

// Names of functions may have any characters.
const oneLine = (text) => text.replace(/[^\P{C} ]+/gu, ' ');

// Writes lines to the file descriptor and not to `process.stderr`, which a program may have
// replaced, and which in a worker sends its text through the main thread. If the descriptor is
// closed or full, the lines are lost.
function writeLine(...lines) {
  const [first, ...more] = lines.map(oneLine);
  const text = [`${PREFIX} ${first}`, ...more.map((each) => `  ${each}`), ''].join('\n');
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // It is closed or full.
  }
}

module.exports = { writeLine };

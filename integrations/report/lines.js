'use strict';

// The lines of uv-scheduler/report on standard error.

const { writeSync } = require('node:fs');
const { threadId } = require('node:worker_threads');

const STANDARD_ERROR = 2;

const prefixOf = (thread) => `[uv-scheduler ${process.pid}${thread === 0 ? '' : `:${thread}`}]`;

// Names of functions may have any characters.
const oneLine = (text) => text.replace(/[^\P{C} ]+/gu, ' ');

// Writes lines to the file descriptor and not to `process.stderr`, which a program may have
// replaced, and which in a worker sends its text through the main thread. If the descriptor is
// closed or full, the lines are lost.
function writeLineOf(thread, ...lines) {
  const [first, ...more] = lines.map(oneLine);
  const text = [`${prefixOf(thread)} ${first}`, ...more.map((each) => `  ${each}`), ''].join('\n');
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // It is closed or full.
  }
}

const writeLine = (...lines) => writeLineOf(threadId, ...lines);

module.exports = { writeLine, writeLineOf };

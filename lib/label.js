'use strict';

// The labels of tasks.

// What is kept of a label, in characters.
const MAX_LABEL = 120;

// A slice of a string keeps all of it in memory, so it is copied.
function shortened(label) {
  if (label.length <= MAX_LABEL) return label;
  return Buffer.from(label.slice(0, MAX_LABEL), 'utf16le').toString('utf16le');
}

module.exports = { shortened };

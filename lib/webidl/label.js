'use strict';

// The labels of tasks, and the names of functions.

const { isProxy } = require('node:util').types;

const { getOwnPropertyDescriptor } = Object;

// The maximum length of a label in characters.
const MAX_LABEL = 120;

// Copies the slice, as a slice keeps the whole string in memory.
function shortened(label) {
  if (label.length <= MAX_LABEL) return label;
  return Buffer.from(label.slice(0, MAX_LABEL), 'utf16le').toString('utf16le');
}

// The name of a function if it is a string in an own property, otherwise ''. Reading an accessor
// would run code of the application.
function nameOf(fn) {
  if (isProxy(fn)) return '';
  const name = getOwnPropertyDescriptor(fn, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

module.exports = { MAX_LABEL, nameOf, shortened };

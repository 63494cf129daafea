'use strict';

// The labels of tasks, and the names of functions.

const { isProxy } = require('node:util').types;

const { getOwnPropertyDescriptor } = Object;

// What is kept of a label, in characters.
const MAX_LABEL = 120;

// A slice of a string keeps all of it in memory, so it is copied.
function shortened(label) {
  if (label.length <= MAX_LABEL) return label;
  return Buffer.from(label.slice(0, MAX_LABEL), 'utf16le').toString('utf16le');
}

// The name of a function if that is a string in a property of its own, otherwise ''. Reading an
// accessor would run code of the application.
function nameOf(fn) {
  if (isProxy(fn)) return '';
  const name = getOwnPropertyDescriptor(fn, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

module.exports = { MAX_LABEL, nameOf, shortened };

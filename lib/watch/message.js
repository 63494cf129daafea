'use strict';

// The messages of the channels, one for each task or continuation, and the labels in them.

const { isProxy } = require('node:util').types;
const { shortened } = require('../label.js');
const { shared } = require('./channels.js');

const { getOwnPropertyDescriptor } = Object;

// The label of a callback: its name if that is a string in a property of its own, as reading an
// accessor would run code of the application.
function nameOf(callback) {
  if (isProxy(callback)) return '';
  const name = getOwnPropertyDescriptor(callback, 'name')?.value;
  return typeof name === 'string' ? shortened(name) : '';
}

// The callback whose name was read last. Many programs post one callback again and again, and
// reading its name takes longer than all else that a message needs.
let lastCallback;
let lastName = '';

// What a task or step is labelled by: a label, a callback, or nothing.
function labelOf(source) {
  if (typeof source !== 'function') return source ?? '';
  if (source !== lastCallback) {
    lastName = nameOf(source);
    lastCallback = source;
  }
  return lastName;
}

function forgetLast() {
  lastCallback = undefined;
}

// A message about a task or continuation that was posted.
function createMessage(parentId, priority, isContinuation, label, delay, postedAt) {
  return {
    id: ++shared.lastId,
    parentId,
    priority,
    isContinuation,
    label,
    delay,
    postedAt,
    queuedAt: postedAt + delay,
    startedAt: undefined,
    endedAt: undefined,
    outcome: undefined,
    result: undefined,
    error: undefined,
  };
}

module.exports = { createMessage, forgetLast, labelOf };

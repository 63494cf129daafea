'use strict';

// The messages of the channels, one for each task or continuation, and the labels in them.

const { nameOf, shortened } = require('../webidl/label.js');

// The callback whose name was read last. Many programs post one callback repeatedly, and reading
// its name takes longer than the rest of a message.
let lastCallback;
let lastName = '';

// The label of a task or step from its source: a label, a callback, or undefined.
function labelOf(source) {
  if (typeof source !== 'function') return source ?? '';
  if (source !== lastCallback) {
    lastName = shortened(nameOf(source));
    lastCallback = source;
  }
  return lastName;
}

function forgetLast() {
  lastCallback = undefined;
}

// A message about a task or continuation that was posted.
function createMessage(id, parentId, priority, isContinuation, label, delay, postedAt) {
  return {
    id,
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

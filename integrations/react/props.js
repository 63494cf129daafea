'use strict';

// Checks the props of <Scheduled>. Also runs in browsers, so it uses nothing of Node.

const { withCode } = require('../../lib/webidl/error-code.js');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const MAX_LENGTH = 60;

function describe(value) {
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, MAX_LENGTH))}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}

function refuse(name, expected, value, code) {
  const error = new TypeError(
    `Failed to render <Scheduled>: the prop ${name} must be ${expected}, ` +
      `but received ${describe(value)}.`,
  );
  throw withCode(error, code);
}

function checkPriority(value) {
  if (value === undefined || PRIORITIES.includes(value)) return;
  const list = PRIORITIES.map((each) => `'${each}'`).join(', ');
  refuse('priority', `one of ${list}`, value, 'ERR_INVALID_ARG_VALUE');
}

// Signals of another realm or of a polyfill are accepted by their shape. React's `cacheSignal()` is
// null if there is no signal.
function checkSignal(value) {
  if (value === undefined || value === null) return;
  const isSignal =
    typeof value === 'object' &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function';
  if (!isSignal) refuse('signal', 'an AbortSignal', value, 'ERR_INVALID_ARG_TYPE');
}

function checkProps({ priority, signal }) {
  checkPriority(priority);
  checkSignal(signal);
}

module.exports = { PRIORITIES, checkProps };

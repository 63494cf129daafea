'use strict';

// Checks the props of <Scheduled>. Also runs in browsers, so it uses nothing of Node.

const { withCode } = require('../../lib/webidl/error-code.js');
const { adviceFor } = require('../../lib/webidl/unknown-option.js');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

// The label of tasks that open gates, and of sections while React renders them.
const LABEL = 'Scheduled';

// React does not pass `key` on.
const NAMES = ['priority', 'signal', 'fallback', 'children'];

// Build tools add attributes to all elements, such as `data-sentry-component`.
const ATTRIBUTE = /^data-/;

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

// A misspelt prop would have no effect. Servers and browsers refuse it alike, so that hydration
// finds what the server has rendered.
function checkNames(props) {
  for (const name of Object.keys(props)) {
    if (NAMES.includes(name) || ATTRIBUTE.test(name)) continue;
    const unknown = name.slice(0, MAX_LENGTH);
    const error = new TypeError(
      `Failed to render <Scheduled>: unknown prop '${unknown}' (${adviceFor(unknown, NAMES)}).`,
    );
    throw withCode(error, 'ERR_INVALID_ARG_VALUE');
  }
}

function checkProps(props) {
  checkNames(props);
  checkPriority(props.priority);
  checkSignal(props.signal);
}

module.exports = { LABEL, PRIORITIES, checkProps };

// Converts the arguments of the functions for browsers. The errors are worded as those of
// webidl/conversions.js, which asks Node about the values that it describes.

import { withCode } from '../webidl/error-code.js';
import { adviceFor } from '../webidl/unknown-option.js';

const PRIORITIES = ['user-blocking', 'user-visible', 'background', 'inherit'];

const MAX_LENGTH = 60;

export const isObject = (value) => Object(value) === value;

function describe(value) {
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, MAX_LENGTH))}`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : String(value);
}

function failure(operation, what, code) {
  return withCode(new TypeError(`Failed to execute '${operation}': ${what}.`), code);
}

// The error for an argument or a member, such as `the member signal`.
export function mismatch(operation, name, expected, value, code = 'ERR_INVALID_ARG_TYPE') {
  const what = `${name} must be ${expected}, but received ${describe(value)}`;
  return failure(operation, what, code);
}

export function toPriority(value, operation, name) {
  const priority = typeof value === 'symbol' ? value : `${value}`;
  if (PRIORITIES.includes(priority)) return priority;
  const expected = `one of ${PRIORITIES.map((each) => `'${each}'`).join(', ')}`;
  throw mismatch(operation, name, expected, value, 'ERR_INVALID_ARG_VALUE');
}

export function toSignal(value, operation, name) {
  const isSignal = isObject(value) && typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function';
  if (isSignal) return value;
  throw mismatch(operation, name, 'an AbortSignal', value);
}

// Undefined stands for 'inherit', the default.
export function toSignalOrInherit(value, operation, name) {
  return value === 'inherit' ? undefined : toSignal(value, operation, name);
}

export function toDelay(value, operation) {
  const isNumeric = value !== undefined && !['symbol', 'bigint'].includes(typeof value);
  const delay = isNumeric ? Math.trunc(value) : NaN;
  if (delay >= 0 && delay <= Number.MAX_SAFE_INTEGER) return delay;
  const code = isNumeric ? 'ERR_OUT_OF_RANGE' : undefined;
  throw mismatch(operation, 'the argument delay', 'a number from 0 to 2^53-1', value, code);
}

// Reads the members of options in the order of their converters, and ignores all others.
export function readMembers(operation, options, converters) {
  const members = {};
  if (options === undefined || options === null) return members;
  if (!isObject(options)) throw mismatch(operation, 'the argument options', 'an object', options);
  for (const [name, convert] of Object.entries(converters)) {
    const member = options[name];
    if (member !== undefined) members[name] = convert(member, operation, `the member ${name}`);
  }
  return members;
}

// The same for options that are not of the web's API: refuses unknown ones.
export function readOptions(operation, options, converters) {
  const names = Object.keys(converters);
  for (const name in isObject(options) ? options : {}) {
    if (names.includes(name) || name in Object.prototype) continue;
    const what = `unknown option '${name.slice(0, MAX_LENGTH)}' (${adviceFor(name, names)})`;
    throw failure(operation, what, 'ERR_INVALID_ARG_VALUE');
  }
  return readMembers(operation, options, converters);
}

'use strict';

// The one place of conversions: from what the application passes to what the algorithms take, by
// the rules of Web IDL, with error messages that name operation, parameter and what came. Knows
// nothing of tasks.

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const MAX_LENGTH = 60;

// What came, in a few words and without running code of its owner.
function describe(value) {
  switch (typeof value) {
    case 'string': {
      const text = value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
      return `the string ${JSON.stringify(text)}`;
    }
    case 'bigint':
      return `the bigint ${value}n`;
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : `an object (${Object.prototype.toString.call(value)})`;
    default:
      return String(value);
  }
}

// An operation and the parameter of it that is being converted.
class Parameter {
  constructor(operation, name) {
    this.operation = operation;
    this.name = name;
  }

  error(expected, value) {
    return new TypeError(
      `Failed to execute ${this.operation}: ${this.name} must be ${expected}, ` +
        `but received ${describe(value)}.`,
    );
  }
}

function illegalConstructor(name) {
  return new TypeError(`Illegal constructor: ${name} objects cannot be constructed`);
}

function illegalInvocation(operation, name, receiver) {
  return new TypeError(
    `Illegal invocation: ${operation} must be called on a ${name}, ` +
      `but its receiver was ${describe(receiver)}.`,
  );
}

function toFunction(value, parameter) {
  if (typeof value !== 'function') throw parameter.error('a function', value);
  return value;
}

// A dictionary: absent (undefined or null), or an object to read members of.
function toDictionary(value, parameter) {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' && typeof value !== 'function') {
    throw parameter.error('an object', value);
  }
  return value;
}

function toNumber(value, parameter) {
  if (typeof value === 'bigint' || typeof value === 'symbol') {
    throw parameter.error('a number', value);
  }
  return +value;
}

// [EnforceRange] unsigned long long, absent meaning 0.
function toDelay(value, parameter) {
  if (value === undefined) return 0;
  const delay = Math.trunc(toNumber(value, parameter));
  if (!(delay >= 0 && delay <= Number.MAX_SAFE_INTEGER)) {
    throw parameter.error('a number from 0 to 2^53-1', value);
  }
  return delay;
}

// unsigned long: whatever the number is, its lowest 32 bits.
function toUnsignedLong(value, parameter) {
  return toNumber(value, parameter) >>> 0;
}

function toString(value, parameter) {
  if (typeof value === 'symbol') throw parameter.error('a string', value);
  return `${value}`;
}

function toEnumeration(value, values, parameter) {
  const text = typeof value === 'string' ? value : toString(value, parameter);
  if (!values.includes(text)) {
    const list = values.map((each) => `'${each}'`).join(', ');
    throw parameter.error(`one of ${list}`, value);
  }
  return text;
}

function toPriority(value, parameter) {
  return toEnumeration(value, PRIORITIES, parameter);
}

// Signals of another realm or of a polyfill pass by their shape, as they do with Node's own APIs.
function isAbortSignal(value) {
  return (
    value instanceof AbortSignal ||
    (value !== null &&
      typeof value === 'object' &&
      typeof value.aborted === 'boolean' &&
      typeof value.addEventListener === 'function')
  );
}

function toAbortSignal(value, parameter) {
  if (!isAbortSignal(value)) throw parameter.error('an AbortSignal', value);
  return value;
}

// A sequence: any iterable object, each element converted.
function toSequence(value, parameter, convert) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    throw parameter.error('an iterable object', value);
  }
  if (typeof value[Symbol.iterator] !== 'function') {
    throw parameter.error('an iterable object', value);
  }
  return Array.from(value, convert);
}

// Gives an interface the property attributes that Web IDL prescribes.
function defineInterface(constructor, members) {
  for (const name of members) {
    const target = Object.hasOwn(constructor.prototype, name)
      ? constructor.prototype
      : constructor;
    Object.defineProperty(target, name, { enumerable: true });
  }
  Object.defineProperty(constructor.prototype, Symbol.toStringTag, {
    value: constructor.name,
    configurable: true,
  });
}

module.exports = {
  PRIORITIES,
  Parameter,
  defineInterface,
  illegalConstructor,
  illegalInvocation,
  isAbortSignal,
  toAbortSignal,
  toDelay,
  toDictionary,
  toEnumeration,
  toFunction,
  toPriority,
  toSequence,
  toString,
  toUnsignedLong,
};

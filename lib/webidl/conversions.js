'use strict';

// Converts arguments and dictionary members by the rules of Web IDL. Error messages name the
// operation, the parameter and the value that was received.

const { isProxy } = require('node:util').types;
const { withCode } = require('./error-code.js');
const { nameOf, shortenedKey } = require('./label.js');
const { adviceFor } = require('./unknown-option.js');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const MAX_LENGTH = 60;

// The prefix of members' names in error messages.
const MEMBER = 'the member ';

// Describes a value for an error message, without running code of the application.
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
      return value === null ? 'null' : describeObject(value);
    default:
      return String(value);
  }
}

function describeObject(value) {
  if (isProxy(value)) return 'a Proxy object';
  if (Array.isArray(value)) return 'an array';
  const prototype = Object.getPrototypeOf(value);
  const name = prototype === null || isProxy(prototype) ? '' : classOf(prototype);
  return name === '' || name === 'Object' ? 'an object' : `an object of class ${name}`;
}

// The name of the class that a prototype belongs to, or ''.
function classOf(prototype) {
  const constructor = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof constructor === 'function' ? nameOf(constructor).slice(0, MAX_LENGTH) : '';
}

// A parameter of an operation, for error messages.
class Parameter {
  operation;
  name;

  constructor(operation, name) {
    this.operation = operation;
    this.name = name;
  }

  // A member of this dictionary.
  member(name) {
    const isMember = this.name.startsWith(MEMBER);
    return new Parameter(this.operation, isMember ? `${this.name}['${name}']` : MEMBER + name);
  }

  error(expected, value, code = 'ERR_INVALID_ARG_TYPE') {
    return this.mismatch(expected, describe(value), code);
  }

  // `received` is text for the message.
  mismatch(expected, received, code) {
    const error = new TypeError(
      `Failed to execute ${this.operation}: ${this.name} must be ${expected}, ` +
        `but received ${received}.`,
    );
    return withCode(error, code);
  }

  // An error for an unknown member of this dictionary; `names` are the known members.
  unknownOption(unknown, names) {
    const place = this.name.startsWith(MEMBER) ? ` in ${this.name}` : '';
    const error = new TypeError(
      `Failed to execute ${this.operation}: unknown option '${unknown}'${place} ` +
        `(${adviceFor(unknown, names)}).`,
    );
    return withCode(error, 'ERR_INVALID_ARG_VALUE');
  }
}

// `instead` is a sentence on how to get such an object.
function illegalConstructor(name, instead) {
  const error = new TypeError(
    `Illegal constructor: ${name} objects cannot be constructed. ${instead}`,
  );
  return withCode(error, 'ERR_ILLEGAL_CONSTRUCTOR');
}

function illegalInvocation(operation, name, receiver) {
  const article = name === 'IdleDeadline' ? 'an' : 'a';
  const error = new TypeError(
    `Illegal invocation: ${operation} must be called on ${article} ${name}, ` +
      `but its receiver was ${describe(receiver)}.`,
  );
  return withCode(error, 'ERR_INVALID_THIS');
}

// The checks of an interface: `is(value)` returns whether a value implements it, and
// `check(receiver, operation)` throws if the receiver of an operation does not. `has(object)` looks
// for a private field.
function brand(name, has) {
  const is = (value) => isObject(value) && has(value);
  const check = (receiver, operation) => {
    if (!is(receiver)) throw illegalInvocation(operation, name, receiver);
  };
  return { is, check };
}

function toFunction(value, parameter) {
  if (typeof value !== 'function') throw parameter.error('a function', value);
  return value;
}

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

// A dictionary: an object, or undefined if the value is undefined or null.
function toDictionary(value, parameter) {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw parameter.error('an object', value);
  return value;
}

// A member that may be absent.
function optional(value, convert, parameter) {
  return value === undefined ? undefined : convert(value, parameter);
}

// Reads the members of a dictionary in the order of their converters. The result has only the
// members that are given.
function readMembers(value, parameter, converters) {
  const dictionary = toDictionary(value, parameter);
  // Members added to `Object.prototype` must not count.
  const members = { __proto__: null };
  if (dictionary === undefined) return members;
  for (const [name, convert] of Object.entries(converters)) {
    const member = dictionary[name];
    if (member !== undefined) members[name] = convert(member, parameter.member(name));
  }
  return members;
}

// The same for this package's own options, which have no other members.
function readOptions(value, parameter, converters) {
  const dictionary = toDictionary(value, parameter);
  checkMembers(dictionary, Object.keys(converters), parameter);
  return readMembers(dictionary, parameter, converters);
}

// Refuses an options object with an unknown member, as a misspelt option would have no effect. The
// web's dictionaries ignore such members.
function checkMembers(dictionary, names, parameter) {
  for (const name in dictionary) {
    if (names.includes(name) || name in Object.prototype) continue;
    throw parameter.unknownOption(name.slice(0, MAX_LENGTH), names);
  }
}

// ToPrimitive with our own error for an object that cannot be converted. Errors that the object's
// code throws pass through.
function toPrimitive(value, hint, expected, parameter) {
  if (!isObject(value)) return value;
  const convert = value[Symbol.toPrimitive] ?? undefined;
  if (convert !== undefined) {
    const primitive = typeof convert === 'function' ? convert.call(value, hint) : value;
    if (!isObject(primitive)) return primitive;
  } else {
    for (const name of hint === 'string' ? ['toString', 'valueOf'] : ['valueOf', 'toString']) {
      const method = value[name];
      const primitive = typeof method === 'function' ? method.call(value) : value;
      if (!isObject(primitive)) return primitive;
    }
  }
  throw parameter.error(expected, value);
}

function toNumber(value, parameter) {
  const primitive = toPrimitive(value, 'number', 'a number', parameter);
  if (typeof primitive === 'bigint' || typeof primitive === 'symbol') {
    throw parameter.error('a number', value);
  }
  return +primitive;
}

// [EnforceRange] unsigned long long; undefined becomes 0.
function toDelay(value, parameter) {
  if (value === undefined) return 0;
  const delay = Math.trunc(toNumber(value, parameter));
  if (!(delay >= 0 && delay <= Number.MAX_SAFE_INTEGER)) {
    throw parameter.error('a number from 0 to 2^53-1', value, 'ERR_OUT_OF_RANGE');
  }
  return delay;
}

// The same for a required argument.
function toRequiredDelay(value, parameter) {
  if (value === undefined) throw parameter.error('a number from 0 to 2^53-1', value);
  return toDelay(value, parameter);
}

// The same, but allows Infinity.
function toTimeout(value, parameter) {
  return value === Infinity ? value : toDelay(value, parameter);
}

// Makes a converter that accepts only numbers for which `isAllowed(number)` is true: null or ''
// must not convert to a time.
function toNumberThat(expected, isAllowed) {
  return (value, parameter) => {
    if (typeof value !== 'number') throw parameter.error(expected, value);
    if (!isAllowed(value)) throw parameter.error(expected, value, 'ERR_OUT_OF_RANGE');
    return value;
  };
}

// The time in ms that tasks may wait; Infinity: no bound.
const toBound = toNumberThat('a number of milliseconds above 0, or Infinity', (time) => time > 0);

// The key of all requests of one origin; see tasks/flow.js.
function toFairnessKey(value, parameter) {
  return shortenedKey(toString(value, parameter));
}

const toFairnessWeight = toNumberThat('a finite number above 0', (weight) => {
  return weight > 0 && weight < Infinity;
});

// A weight, or the function that returns one, belongs to a key.
function checkWeight(key, weight, parameter) {
  if (key !== undefined || weight === undefined) return;
  const received = `${describe(weight)} alone`;
  throw parameter.mismatch('given with a fairnessKey', received, 'ERR_INVALID_ARG_VALUE');
}

// unsigned long: the lowest 32 bits of the number.
function toUnsignedLong(value, parameter) {
  return toNumber(value, parameter) >>> 0;
}

// The member `ref` of options: whether the posted task keeps the process alive. True by default.
function toReferenced(value) {
  return value === undefined || Boolean(value);
}

function toString(value, parameter) {
  const primitive = toPrimitive(value, 'string', 'a string', parameter);
  if (typeof primitive === 'symbol') throw parameter.error('a string', value);
  return `${primitive}`;
}

// `others` names further values that the caller accepts.
function toEnumeration(value, values, parameter, others = '') {
  const text = typeof value === 'string' ? value : toString(value, parameter);
  if (!values.includes(text)) {
    const list = values.map((each) => `'${each}'`).join(', ');
    throw parameter.error(`${others}one of ${list}`, value, 'ERR_INVALID_ARG_VALUE');
  }
  return text;
}

function toPriority(value, parameter, others) {
  return toEnumeration(value, PRIORITIES, parameter, others);
}

// Signals of another realm or of a polyfill are accepted by their shape, as in Node's own APIs.
function isAbortSignal(value) {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function';
  } catch (error) {
    // The object only inherits from the host's class.
    if (error?.code === 'ERR_INVALID_THIS') return false;
    throw error;
  }
}

function toAbortSignal(value, parameter) {
  if (!isAbortSignal(value)) throw parameter.error('an AbortSignal', value);
  return value;
}

// A sequence: any iterable object, each element converted.
function toSequence(value, parameter, convert) {
  const method = isObject(value) ? value[Symbol.iterator] : undefined;
  if (typeof method !== 'function') throw parameter.error('an iterable object', value);
  return Array.from({ [Symbol.iterator]: () => method.call(value) }, convert);
}

// Sets the property attributes of an interface as Web IDL requires.
function defineInterface(constructor, members) {
  for (const name of members) {
    const target = Object.hasOwn(constructor.prototype, name)
      ? constructor.prototype
      : constructor;
    Object.defineProperty(target, name, { __proto__: null, enumerable: true });
  }
  Object.defineProperty(constructor.prototype, Symbol.toStringTag, {
    __proto__: null,
    value: constructor.name,
    configurable: true,
  });
}

module.exports = {
  PRIORITIES,
  Parameter,
  brand,
  checkMembers,
  checkWeight,
  defineInterface,
  illegalConstructor,
  illegalInvocation,
  isAbortSignal,
  isObject,
  optional,
  readMembers,
  readOptions,
  toAbortSignal,
  toBound,
  toDelay,
  toDictionary,
  toFairnessKey,
  toFairnessWeight,
  toEnumeration,
  toFunction,
  toNumberThat,
  toPriority,
  toReferenced,
  toRequiredDelay,
  toSequence,
  toString,
  toTimeout,
  toUnsignedLong,
};

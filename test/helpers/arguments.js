'use strict';

// Tests of arguments that are generated from a table of entry points: a bad value is refused with
// an error that names the operation, the parameter and the value, an error of the caller's own code
// passes through, and options are read once each.

const assert = require('node:assert/strict');
const { scheduler } = require('../..');

const TYPE = 'ERR_INVALID_ARG_TYPE';
const VALUE = 'ERR_INVALID_ARG_VALUE';
const RANGE = 'ERR_OUT_OF_RANGE';

const nothing = () => {};
// The error of the caller's own code.
const MINE = new Error('mine');
const fail = () => { throw MINE; };

// A bad value is [value, code, what the message must say]: by default how it describes the value.
const bad = (code, ...values) => values.map((value) => [value, code]);

const TEXTS = [0, 1.5, NaN, 'text', '', true, 7n];
const PRIMITIVES = [...TEXTS, Symbol('mine')];

// These cannot be converted to a primitive.
const UNCONVERTIBLE = [
  Object.create(null), { toString: undefined, valueOf: undefined },
  { [Symbol.toPrimitive]: () => Symbol('inner') },
];

const NO_NUMBERS = [
  ...bad(RANGE, NaN, Infinity, -Infinity, -1, -1e300, 2 ** 53, 1e300, 'text', '-1', '1n', {},
    nothing, [1, 2], { valueOf: () => -1 }),
  ...bad(TYPE, 1n, Symbol('mine'), ...UNCONVERTIBLE),
];

// Numbers that are not converted.
const NO_PLAIN_NUMBERS = [
  ...bad(RANGE, 0, -1, -Infinity, NaN),
  ...bad(TYPE, null, '5', true, 5n, Symbol('mine'), {}, nothing, [5], { valueOf: () => 5 }),
];

const NO_PRIORITIES = [
  ...bad(VALUE, null, ...TEXTS, {}, nothing, 'high', 'User-Blocking', ' background', 'Inherit',
    ['background', 'background'], { toString: () => 'high' }),
  ...bad(TYPE, Symbol('mine'), ...UNCONVERTIBLE),
];

const NO_SIGNALS = bad(TYPE, null, ...PRIMITIVES, {}, nothing, [], 'Inherit', new AbortController(),
  new EventTarget(), { aborted: false }, ...UNCONVERTIBLE,
  { aborted: 'no', addEventListener: nothing }, { aborted: undefined, addEventListener: nothing },
  { aborted: true, addEventListener: true });

const NO_FUNCTIONS = bad(TYPE, null, undefined, ...PRIMITIVES, {}, []);

// These throw when a program uses them as signals.
const shape = { aborted: false, addEventListener: nothing };
const throwing = (name, rest) => Object.defineProperty({ ...rest }, name, { get: fail });
const HOSTILE = [
  throwing('aborted', shape), { ...shape, addEventListener: fail },
  throwing('reason', { ...shape, aborted: true }),
];

// Kinds of parameters: their bad values, a good one, the hint with which it is converted, if it is,
// and further values whose errors pass through.
const KINDS = {
  bound: { bad: NO_PLAIN_NUMBERS, good: 1 },
  boolean: { bad: [], good: true },
  continuationPriority: { bad: NO_PRIORITIES, good: 'inherit', hint: 'string' },
  function: { bad: NO_FUNCTIONS, good: nothing },
  heldSignal: { bad: NO_SIGNALS, good: new AbortController().signal },
  label: { bad: bad(TYPE, Symbol('mine'), ...UNCONVERTIBLE), good: 'a label', hint: 'string' },
  number: { bad: NO_NUMBERS, good: 1, hint: 'number' },
  priority: { bad: [...NO_PRIORITIES, ['inherit', VALUE]], good: 'background', hint: 'string' },
  signal: { bad: NO_SIGNALS, good: new AbortController().signal, hostile: HOSTILE },
};
KINDS.taskSignal = { ...KINDS.signal, bad: [...NO_SIGNALS, ['inherit', TYPE]] };

// The same kind where it must be given.
const required = (kind, code = TYPE) => ({ ...kind, bad: [[undefined, code], ...kind.bad] });

// The error of a call, which must be a rejection if the operation returns a promise, and thrown
// otherwise.
async function failure(promises, call) {
  let result;
  try {
    result = call();
  } catch (thrown) {
    assert.ok(!promises, `it threw instead of rejecting: ${thrown}`);
    return thrown;
  }
  assert.ok(result instanceof Promise, 'it did not throw');
  return result.then(() => assert.fail('it was not rejected'), (reason) => reason);
}

// How a message describes a value.
function described(value) {
  if (typeof value === 'string') return `the string ${JSON.stringify(value)}`;
  if (typeof value === 'bigint') return `the bigint ${value}n`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

// Each bad value must cause a TypeError that names the operation, the parameter and the value, with
// a code as Node's own functions give it in the same case.
async function assertRefused({ name, promises }, parameter, call, values) {
  const faults = [];
  for (const [value, code, part = `received ${described(value)}`] of values) {
    const refusal = await failure(promises, () => call(value));
    if (!(refusal instanceof TypeError)) faults.push(`no TypeError but ${refusal}`);
    for (const each of [name, parameter, part]) {
      const { message = '' } = refusal;
      const isFound = typeof each === 'string' ? message.includes(each) : each.test(message);
      if (!isFound) faults.push(`${each} is not in: ${message}`);
    }
    const { value: found, ...attributes } = Object.getOwnPropertyDescriptor(refusal, 'code') ?? {};
    if (found !== code) faults.push(`the code is ${found} instead of ${code}: ${refusal.message}`);
    assert.deepEqual(attributes, { writable: true, enumerable: true, configurable: true });
  }
  assert.deepEqual(faults, []);
}

// The parameters of an entry point: [name, kind, a call with a value].
function parametersOf({ args = {}, call, members = {} }) {
  return [
    ...Object.entries(args).map(([name, [kind, callWith]]) => [name, kind, callWith]),
    ...Object.entries(members).map(([name, kind]) =>
      [name, kind, (value) => call({ [name]: value })]),
  ];
}

// Options that log every read of a member and every conversion. The web's dictionaries are not
// listed; other options are, to refuse those that are unknown.
function logging(log, members, isStrict) {
  const logged = (name, hint, value) => ({
    [Symbol.toPrimitive](given) {
      assert.equal(given, hint);
      log.push(`${name} is converted`);
      return value;
    },
  });
  const values = Object.entries(members).map(([name, { good, hint }]) =>
    [name, hint === undefined ? good : logged(name, hint, good)]);
  return new Proxy(Object.fromEntries(values), {
    get(target, key) {
      log.push(`get ${String(key)}`);
      return target[key];
    },
    has: () => assert.fail('asked for'),
    ownKeys: isStrict ? Reflect.ownKeys : () => assert.fail('listed'),
  });
}

// Defines the tests of entry points. Each is known by a text that its errors contain, and has these
// members:
//
//   promises   whether errors are rejections
//   args       by name: the kind of an argument, and a call with a value for it
//   call       a call with options, if it takes any
//   members    by name, in alphabetical order: the kinds of their members
//   isStrict   whether unknown members are refused, as everything does that is not the web's
//   end        ends what a call with good options has begun; false: none is called
function testArguments(entries) {
  for (const [name, entry] of Object.entries(entries)) {
    const { promises, call, members = {}, isStrict = false, end = nothing } = entry;
    const named = { name, promises };

    for (const [parameter, kind, callWith] of parametersOf(entry)) {
      if (kind.bad.length === 0) continue;
      it(`${name} refuses a bad ${parameter}, and names it`, () =>
        assertRefused(named, new RegExp(parameter), callWith, kind.bad));
    }

    it(`${name} passes on errors of the caller's own code, and loses no task`, async () => {
      const task = scheduler.postTask(() => 'not lost');
      for (const [, { hint, hostile = [] }, callWith] of parametersOf(entry)) {
        const converted = { toString: fail, valueOf: fail };
        const primitive = { [Symbol.toPrimitive]: fail };
        for (const value of [...hostile, ...(hint === undefined ? [] : [converted, primitive])]) {
          assert.equal(await failure(promises, () => callWith(value)), MINE);
        }
      }
      for (const member of Object.keys(members)) {
        assert.equal(await failure(promises, () => call(throwing(member))), MINE, member);
      }
      assert.equal(await task, 'not lost');
    });

    if (call === undefined) continue;

    it(`${name} refuses options that are no object${isStrict ? ', and unknown ones' : ''}`, () => {
      const [member] = Object.keys(members);
      const message = new RegExp(`unknown option '${member}s' \\(did you mean '${member}'\\?\\)`);
      const unknown = isStrict ? [[{ [`${member}s`]: 1 }, VALUE, message]] : [];
      return assertRefused(named, /option|init/, call, [...bad(TYPE, ...PRIMITIVES), ...unknown]);
    });

    if (end === false) continue;

    it(`${name} reads and converts each option once, in alphabetical order`, async () => {
      const log = [];
      const result = call(logging(log, members, isStrict));
      const read = [...log];
      if (result instanceof Promise) await result.catch(nothing);
      else end(result);
      const expected = Object.entries(members).flatMap(([member, { hint }]) =>
        hint === undefined ? [`get ${member}`] : [`get ${member}`, `${member} is converted`]);
      assert.deepEqual(read, expected);
    });
  }
}

module.exports = {
  KINDS, PRIMITIVES, RANGE, TYPE, VALUE, assertRefused, bad, fail, required, testArguments,
};

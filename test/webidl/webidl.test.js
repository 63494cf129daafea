'use strict';

// Web IDL's rules for every operation: what is refused, with which message and code, and that
// errors of the caller's own code pass through. No error may lose a queued task.
// conversions.test.js tests what is accepted, interfaces.test.js the shape of the interfaces, and
// errors.test.js the codes of the errors of what watches tasks.

const assert = require('node:assert/strict');
const { SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal, cancelIdleCallback, drain,
  onIdle, requestIdleCallback, scheduler } = require('../..');
const { settled } = require('../helpers/tasks.js');

const nothing = () => {};
const never = () => assert.fail('the task of a refused call ran');
const oneSignal = [new AbortController().signal];

const isPromise = (value) => value instanceof Promise;

// The error of a call, which must be a rejection if the operation returns a promise, and thrown
// otherwise.
async function failure({ promises }, call) {
  let result;
  try {
    result = call();
  } catch (error) {
    assert.ok(!promises, `it threw instead of rejecting: ${error}`);
    return error;
  }
  assert.ok(isPromise(result), 'it did not throw');
  const [state, reason] = await settled(result);
  assert.equal(state, 'rejected');
  return reason;
}

// A bad argument is [value, what the message must say, code]: that of a wrong type by default.
const TYPE = 'ERR_INVALID_ARG_TYPE';
const VALUE = 'ERR_INVALID_ARG_VALUE';
const RANGE = 'ERR_OUT_OF_RANGE';

const coded = (code, values) => values.map(([value, received]) => [value, received, code]);

const SYMBOL = [Symbol('mine'), /Symbol\(mine\)/];
const PRIMITIVES = [
  [0, /\b0\b/],
  [1.5, /\b1\.5\b/],
  [NaN, /\bNaN\b/],
  ['text', /\btext\b/],
  ['', /string|''|""/],
  [true, /\btrue\b/],
  [7n, /\b7n?\b/],
  SYMBOL,
];
const UNDEFINED = [undefined, /\bundefined\b/];
const NULL = [null, /\bnull\b/];
const OBJECT = [{}, /object/i];
const FUNCTION = [nothing, /function/i];

const NO_NUMBERS = [
  ...coded(RANGE, [
    [NaN, /\bNaN\b/],
    [Infinity, /\bInfinity\b/],
    [-Infinity, /-Infinity\b/],
    [-1, /-1\b/],
    [-1e300, /-1e\+300/],
    [2 ** 53, /\b9007199254740992\b/],
    [1e300, /\b1e\+300/],
    ['text', /\btext\b/],
    ['-1', /-1\b/],
    ['1n', /\b1n\b/],
    OBJECT,
    FUNCTION,
    [[1, 2], /object|array/i],
    [{ valueOf: () => -1 }, /object/i],
  ]),
  [1n, /\b1n?\b/],
  SYMBOL,
];
const NO_PRIORITIES = [
  ...coded(VALUE, [
    NULL,
    ...PRIMITIVES.filter((each) => each !== SYMBOL),
    OBJECT,
    FUNCTION,
    ['high', /\bhigh\b/],
    ['User-Blocking', /\bUser-Blocking\b/],
    [' background', / background/],
    [['background', 'background'], /object|array/i],
    [{ toString: () => 'high' }, /object|\bhigh\b/i],
  ]),
  SYMBOL,
];
const NO_SIGNALS = [
  NULL,
  ...PRIMITIVES,
  OBJECT,
  FUNCTION,
  [[], /object|array/i],
  [new AbortController(), /object|AbortController/],
  [new EventTarget(), /object|EventTarget/],
  [{ aborted: false }, /object/i],
  [{ aborted: 'no', addEventListener: nothing }, /object/i],
  [{ aborted: undefined, addEventListener: nothing }, /object/i],
  [{ aborted: true, addEventListener: true }, /object/i],
];
const NO_FUNCTIONS = [NULL, UNDEFINED, ...PRIMITIVES, OBJECT, [[], /object|array/i]];

// Operation, parameter, a call with one bad argument, and bad arguments with what the message must
// say.
const POST = { promises: true, operation: /postTask/ };
const YIELD = { promises: true, operation: /yield/ };
const WAIT = { promises: true, operation: /wait/ };
const ON_IDLE = { promises: true, operation: /onIdle/ };
const DRAIN = { promises: true, operation: /drain/ };
const JOIN = { promises: true, operation: /join/ };
const SHARED = { operation: /SharedTask/ };
const shared = new SharedTask(never);
const NO_BOUNDS = [
  ...coded(RANGE, [[0, /\b0\b/], [-1, /-1/], [-Infinity, /-Infinity/], [NaN, /NaN/]]),
  NULL, ['5', /"5"/], [true, /true/], [5n, /5n?/], SYMBOL, OBJECT, FUNCTION,
  [[5], /array/i], [{ valueOf: () => 5 }, /object/i]];
const NO_TIMEOUTS = NO_NUMBERS.filter(([value]) => value !== Infinity);
const TABLE = [
  [POST, /callback/, (value) => scheduler.postTask(value), NO_FUNCTIONS],
  [POST, /callback/, () => scheduler.postTask(), [UNDEFINED]],
  [POST, /options/, (value) => scheduler.postTask(never, value), PRIMITIVES],
  [POST, /delay/, (delay) => scheduler.postTask(never, { delay }), NO_NUMBERS],
  [POST, /priority/, (priority) => scheduler.postTask(never, { priority }),
    [...NO_PRIORITIES, ['inherit', /inherit/, VALUE]]],
  [POST, /signal/, (signal) => scheduler.postTask(never, { signal }),
    [...NO_SIGNALS, ['inherit', /inherit/]]],
  [YIELD, /options/, (value) => scheduler.yield(value), PRIMITIVES],
  [YIELD, /priority/, (priority) => scheduler.yield({ priority }), NO_PRIORITIES],
  [YIELD, /signal/, (signal) => scheduler.yield({ signal }),
    [...NO_SIGNALS, ['Inherit', /\bInherit\b/]]],
  [WAIT, /delay/, (value) => scheduler.wait(value), [UNDEFINED, ...NO_NUMBERS]],
  [WAIT, /delay/, () => scheduler.wait(), [UNDEFINED]],
  [WAIT, /options/, (value) => scheduler.wait(0, value), PRIMITIVES],
  [WAIT, /priority/, (priority) => scheduler.wait(0, { priority }), NO_PRIORITIES],
  [WAIT, /signal/, (signal) => scheduler.wait(0, { signal }),
    [...NO_SIGNALS, ['Inherit', /\bInherit\b/]]],
  [POST, /maxWait/, (maxWait) => scheduler.postTask(never, { maxWait }), NO_BOUNDS],
  [POST, /label/, (label) => scheduler.postTask(never, { label }),
    [SYMBOL]],
  [ON_IDLE, /options/, (value) => onIdle(value), PRIMITIVES],
  [ON_IDLE, /signal/, (signal) => onIdle({ signal }), NO_SIGNALS],
  [DRAIN, /options/, (value) => drain(value), PRIMITIVES],
  [DRAIN, /priority/, (priority) => drain({ priority }), NO_PRIORITIES],
  [DRAIN, /signal/, (signal) => drain({ signal }), NO_SIGNALS],
  [DRAIN, /timeout/, (timeout) => drain({ timeout }), NO_TIMEOUTS],
  [SHARED, /callback/, (value) => new SharedTask(value), NO_FUNCTIONS],
  [SHARED, /options/, (value) => new SharedTask(never, value), PRIMITIVES],
  [SHARED, /label/, (label) => new SharedTask(never, { label }),
    [SYMBOL]],
  [SHARED, /priority/, (priority) => new SharedTask(never, { priority }),
    [...NO_PRIORITIES, ['inherit', /inherit/, VALUE],
      [new TaskController().signal, /TaskSignal/, VALUE]]],
  [SHARED, /option/, (name) => new SharedTask(never, { [name]: 1 }),
    coded(VALUE, [['lable', /lable/], ['signal', /signal/]])],
  [JOIN, /options/, (value) => shared.join(value), PRIMITIVES],
  [JOIN, /option/, (name) => shared.join({ [name]: 1 }), [['sginal', /sginal/, VALUE]]],
  [JOIN, /priority/, (priority) => shared.join({ priority }),
    [...NO_PRIORITIES, ['Inherit', /Inherit/, VALUE],
      [oneSignal[0], /AbortSignal/, VALUE]]],
  [JOIN, /signal/, (signal) => shared.join({ signal }),
    [...NO_SIGNALS, ['inherit', /inherit/]]],
  [{ operation: /TaskController/ }, /init|options/, (value) => new TaskController(value),
    PRIMITIVES],
  [{ operation: /TaskController/ }, /priority/, (priority) => new TaskController({ priority }),
    NO_PRIORITIES],
  [{ operation: /setPriority/ }, /priority/, (value) => new TaskController().setPriority(value),
    [[...UNDEFINED, VALUE], ...NO_PRIORITIES]],
  [{ operation: /setPriority/ }, /priority/, () => new TaskController().setPriority(),
    [[...UNDEFINED, VALUE]]],
  [{ operation: /any/ }, /signals/, (value) => TaskSignal.any(value),
    [UNDEFINED, NULL, ...PRIMITIVES, OBJECT, FUNCTION, [oneSignal[0], /object|AbortSignal/],
      [{ [Symbol.iterator]: 1 }, /object/i], [{ [Symbol.iterator]: null }, /object/i]]],
  [{ operation: /any/ }, /signals/, () => TaskSignal.any(), [UNDEFINED]],
  [{ operation: /any/ }, /signals/, (value) => TaskSignal.any([...oneSignal, value]),
    [UNDEFINED, ...NO_SIGNALS]],
  [{ operation: /any/ }, /init|options/, (value) => TaskSignal.any([], value), PRIMITIVES],
  [{ operation: /any/ }, /priority/, (priority) => TaskSignal.any([], { priority }),
    [...NO_PRIORITIES, [oneSignal[0], /object|AbortSignal/, VALUE]]],
  [{ operation: /TaskPriorityChangeEvent/ }, /type|argument/,
    (value) => new TaskPriorityChangeEvent(value, { previousPriority: 'background' }),
    [SYMBOL]],
  [{ operation: /TaskPriorityChangeEvent/ }, /argument/, () => new TaskPriorityChangeEvent(),
    [[undefined, /\b0\b|undefined/]]],
  [{ operation: /TaskPriorityChangeEvent/ }, /argument/, () => new TaskPriorityChangeEvent('type'),
    [[undefined, /\b1\b|undefined/]]],
  [{ operation: /TaskPriorityChangeEvent/ }, /init/i,
    (value) => new TaskPriorityChangeEvent('type', value), PRIMITIVES],
  [{ operation: /TaskPriorityChangeEvent/ }, /previousPriority/,
    (value) => new TaskPriorityChangeEvent('type', value),
    [undefined, null, {}].map((value) => [value, /undefined/])],
  [{ operation: /TaskPriorityChangeEvent/ }, /previousPriority/,
    (previousPriority) => new TaskPriorityChangeEvent('type', { previousPriority }),
    [UNDEFINED, ...NO_PRIORITIES]],
  [{ operation: /requestIdleCallback/ }, /callback/, (value) => requestIdleCallback(value),
    NO_FUNCTIONS],
  [{ operation: /requestIdleCallback/ }, /callback/, () => requestIdleCallback(), [UNDEFINED]],
  [{ operation: /requestIdleCallback/ }, /options/, (value) => requestIdleCallback(never, value),
    PRIMITIVES],
  [{ operation: /requestIdleCallback/ }, /timeout/,
    (timeout) => requestIdleCallback(never, { timeout }),
    [[1n, /\b1n?\b/], SYMBOL]],
  [{ operation: /cancelIdleCallback/ }, /handle|id/, (value) => cancelIdleCallback(value),
    [[1n, /\b1n?\b/], SYMBOL]],
  [{ operation: /cancelIdleCallback/ }, /handle|id/, () => cancelIdleCallback(), [UNDEFINED]],
];

// Objects that cannot be converted to a primitive.
const UNCONVERTIBLE = [
  [Object.create(null), /object/i],
  [{ toString: undefined, valueOf: undefined }, /object/i],
  [{ [Symbol.toPrimitive]: () => Symbol('inner') }, /object|inner/i],
];
const CONVERSIONS = {
  'the delay of postTask': [POST, /delay/, (delay) => scheduler.postTask(never, { delay })],
  'the priority of postTask': [POST, /priority/,
    (priority) => scheduler.postTask(never, { priority })],
  'the delay of wait': [WAIT, /delay/, (delay) => scheduler.wait(delay)],
  'the label of postTask': [POST, /label/, (label) => scheduler.postTask(never, { label })],
  'the priority of join': [JOIN, /priority/, (priority) => shared.join({ priority })],
  'the label of SharedTask': [SHARED, /label/, (label) => new SharedTask(never, { label })],
  'the priority of drain': [DRAIN, /priority/, (priority) => drain({ priority })],
  'the timeout of drain': [DRAIN, /timeout/, (timeout) => drain({ timeout })],
  'the priority of yield': [YIELD, /priority/, (priority) => scheduler.yield({ priority })],
  'the signal of yield': [YIELD, /signal/, (signal) => scheduler.yield({ signal })],
  'setPriority': [{ operation: /setPriority/ }, /priority/,
    (priority) => new TaskController().setPriority(priority)],
};

// Objects that are signals by `instanceof` only.
const FAKES = [AbortSignal.prototype, Object.create(AbortSignal.prototype),
  Object.create(TaskSignal.prototype)].map((signal) => [signal, /Signal|object/]);
const TAKERS = {
  'postTask @prototypes': [POST, /signal/, (signal) => scheduler.postTask(never, { signal })],
  'yield @prototypes': [YIELD, /signal/, (signal) => scheduler.yield({ signal })],
  'TaskSignal.any': [{ operation: /any/ }, /signals/, (signal) => TaskSignal.any([signal])],
};

// Each bad argument must cause a TypeError that names the operation, the parameter and the value,
// with a code as Node's own functions give it in the same case.
async function assertRefused([operation, parameter, call], values) {
  const faults = [];
  for (const [value, received, code = TYPE] of values) {
    const error = await failure(operation, () => call(value));
    if (!(error instanceof TypeError)) faults.push(`no TypeError but ${error}`);
    for (const part of [operation.operation, parameter, received]) {
      if (!part.test(error?.message)) faults.push(`${part} is not in: ${error?.message}`);
    }
    const { value: found, ...attributes } = Object.getOwnPropertyDescriptor(error, 'code') ?? {};
    if (found !== code) faults.push(`the code is ${found} instead of ${code}: ${error.message}`);
    assert.deepEqual(attributes, { writable: true, enumerable: true, configurable: true });
  }
  assert.deepEqual(faults, []);
}

describe('a bad argument', () => {
  it('of TaskSignal.any: the error says that a priority may be a signal', () => {
    const priority = new TaskController();
    const message = /must be a TaskSignal or one of 'user-blocking', .* of class TaskController/;
    assert.throws(() => TaskSignal.any([], { priority }), { message });
  });

  for (const [operation, parameter, call, values] of TABLE) {
    const verb = operation.promises ? 'rejects with' : 'throws';
    const name = `${operation.operation.source}, ${parameter.source}`;

    it(`${verb} a TypeError that names operation, parameter and value: ${name}`, () => {
      return assertRefused([operation, parameter, call], values);
    });
  }

  for (const [name, entry] of Object.entries(CONVERSIONS)) {
    it(`is named in the message if it is an object that cannot be converted: ${name}`, () => {
      return assertRefused(entry, UNCONVERTIBLE);
    });
  }

  for (const [name, entry] of Object.entries(TAKERS)) {
    it(`is named in the message if it only inherits from AbortSignal: ${name}`, () => {
      return assertRefused(entry, FAKES);
    });
  }

  it('is named in the message without running code of the application', () => {
    const tagged = {
      get [Symbol.toStringTag]() {
        return assert.fail('read');
      },
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const bad = [[tagged, /object/i], [proxy, /object|proxy/i]];
    return assertRefused([POST, /callback/, (value) => scheduler.postTask(value)], bad);
  });

  it('loses no queued task', async () => {
    const log = [];
    const expected = [];
    const { signal } = new TaskController({ priority: 'background' });
    const tasks = [];
    for (let each = 0; each < 30; each++) {
      const options = [{}, { signal }, { delay: 1 }, { priority: 'user-blocking' }][each % 4];
      tasks.push(scheduler.postTask(() => log.push(each), options));
      expected.push(each);
    }
    for (const [operation, , call, values] of TABLE) {
      for (const [value] of values) failure(operation, () => call(value)).catch(nothing);
    }
    await Promise.all(tasks);
    assert.deepEqual(log.sort((a, b) => a - b), expected);
  });
});

describe('an error of the caller\'s own code', () => {
  const error = new Error('mine');
  const fail = () => {
    throw error;
  };
  const member = (name, rest) => Object.defineProperty({ ...rest }, name, { get: fail });
  const convert = (method) => ({ [method]: fail });
  const good = { previousPriority: 'background' };
  const shape = { aborted: false, addEventListener: nothing };

  const calls = {
    'a getter `delay` of postTask': () => scheduler.postTask(never, member('delay')),
    'a getter `priority` of postTask': () => scheduler.postTask(never, member('priority')),
    'a getter `signal` of postTask': () => scheduler.postTask(never, member('signal')),
    'valueOf of a delay': () => scheduler.postTask(never, { delay: convert('valueOf') }),
    'Symbol.toPrimitive of a delay': () => {
      return scheduler.postTask(never, { delay: convert(Symbol.toPrimitive) });
    },
    'toString of a priority': () => scheduler.postTask(never, { priority: convert('toString') }),
    'a getter `aborted` of a signal': () => {
      return scheduler.postTask(never, { signal: member('aborted', shape) });
    },
    'addEventListener of a signal': () => {
      return scheduler.postTask(never, { signal: { ...shape, addEventListener: fail } });
    },
    'a getter `reason` of an aborted signal': () => {
      return scheduler.postTask(never, { signal: member('reason', { ...shape, aborted: true }) });
    },
    'a getter `ref` of postTask': () => scheduler.postTask(never, member('ref')),
    'a getter `ref` of yield': () => scheduler.yield(member('ref')),
    'a getter `ref` of wait': () => scheduler.wait(0, member('ref')),
    'valueOf of the delay of wait': () => scheduler.wait(convert('valueOf')),
    'a getter `priority` of yield': () => scheduler.yield(member('priority')),
    'a getter `signal` of yield': () => scheduler.yield(member('signal')),
    'toString of a priority of yield': () => scheduler.yield({ priority: convert('toString') }),
    'toString of a signal of yield': () => scheduler.yield({ signal: convert('toString') }),
    'a proxy as options': () => scheduler.postTask(never, new Proxy({}, { get: fail })),
    'a getter of TaskController': () => new TaskController(member('priority')),
    'toString in TaskController': () => new TaskController({ priority: convert('toString') }),
    'toString in setPriority': () => new TaskController().setPriority(convert('toString')),
    'a getter of TaskSignal.any': () => TaskSignal.any([], member('priority')),
    'toString in TaskSignal.any': () => TaskSignal.any([], { priority: convert('toString') }),
    'the getter of an iterator': () => TaskSignal.any(member(Symbol.iterator)),
    'an iterator': () => TaskSignal.any({ [Symbol.iterator]: fail }),
    'next() of an iterator': () => TaskSignal.any({ [Symbol.iterator]: () => ({ next: fail }) }),
    'a getter of TaskPriorityChangeEvent': () => {
      return new TaskPriorityChangeEvent('type', member('previousPriority'));
    },
    'a getter of any event': () => new TaskPriorityChangeEvent('type', member('bubbles', good)),
    'toString of an event type': () => new TaskPriorityChangeEvent(convert('toString'), good),
    'a getter of onIdle': () => onIdle(member('signal')),
    'addEventListener of the signal of onIdle': () => {
      return onIdle({ signal: { ...shape, addEventListener: fail } });
    },
    'a getter of SharedTask': () => new SharedTask(never, member('abortWhenUnused')),
    'toString of a label of SharedTask': () => {
      return new SharedTask(never, { label: convert('toString') });
    },
    'a getter of join': () => shared.join(member('signal')),
    'toString of a priority of join': () => shared.join({ priority: convert('toString') }),
    'addEventListener of the signal of join': () => {
      return shared.join({ signal: { ...shape, addEventListener: fail } });
    },
    'a getter of drain': () => drain(member('timeout')),
    'addEventListener of the signal of drain': () => {
      return drain({ signal: { ...shape, addEventListener: fail } });
    },
    'a getter `maxWait` of postTask': () => scheduler.postTask(never, member('maxWait')),
    'a getter `label` of postTask': () => scheduler.postTask(never, member('label')),
    'a getter `ref` of requestIdleCallback': () => requestIdleCallback(never, member('ref')),
    'a getter of requestIdleCallback': () => requestIdleCallback(never, member('timeout')),
    'valueOf of a timeout': () => requestIdleCallback(never, { timeout: convert('valueOf') }),
    'valueOf of a handle': () => cancelIdleCallback(convert('valueOf')),
  };
  const returnsPromise =
    /postTask|yield|wait|join|onIdle|drain|delay|a priority$|a signal|a proxy|addEvent|`aborted`/;

  for (const [name, call] of Object.entries(calls)) {
    const promises = returnsPromise.test(name) || /signal$/.test(name);

    it(`passes through unchanged: ${name}`, async () => {
      const task = scheduler.postTask(() => 'not lost');
      assert.equal(await failure({ promises }, call), error);
      assert.equal(await task, 'not lost');
    });
  }
});

'use strict';

// The arguments of every entry point of the package itself, as a table: what is refused, with which
// message and code. conversions.test.js tests what is accepted, interfaces.test.js the shape of the
// interfaces and illegal receivers.

const {
  SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal, cancelIdleCallback, configure,
  drain, onIdle, pieces, requestIdleCallback, scheduler,
} = require('../..');
const { monitorTasks, reportSlowTasks, traceTasks } = require('uv-scheduler/watch');
const {
  KINDS, PRIMITIVES, RANGE, TYPE, VALUE, assertRefused, bad, fail, required, testArguments,
} = require('../helpers/arguments.js');

const nothing = () => {};
const never = () => { throw new Error('the task of a refused call ran'); };

const shared = new SharedTask(never);
const monitor = monitorTasks();
const { signal } = new AbortController();
const previousPriority = 'background';

const kindOf = (code, ...values) => ({ bad: bad(code, ...values) });
const symbol = Symbol('mine');
// Iterables whose own code throws.
const ITERABLES = [Object.defineProperty({}, Symbol.iterator, { get: fail }),
  { [Symbol.iterator]: fail }, { [Symbol.iterator]: () => ({ next: fail }) }];
const WEIGHT = { ...KINDS.bound, bad: [...KINDS.bound.bad, [Infinity, RANGE]] };
const UNSIGNED = { ...kindOf(TYPE, 1n, symbol), good: 1, hint: 'number' };
const SIGNALS = kindOf(TYPE, undefined, null, ...PRIMITIVES, {}, nothing, signal,
  { [Symbol.iterator]: 1 }, { [Symbol.iterator]: null });
// A timeout may be Infinity.
const TIMEOUT = { ...KINDS.number, bad: KINDS.number.bad.filter(([value]) => value !== Infinity) };
const IDLE = {
  bad: [...bad(VALUE, 'Loop', '', 'processor', null, 0, 5n, true, {}), [symbol, TYPE],
    ['x'.repeat(1e6), VALUE, /^.{0,250}the string "x+…"\.$/]],
  good: 'container', hint: 'string',
};
const FILE = {
  bad: [...bad(TYPE, undefined, 1, new URL('file:///trace.json')), ...bad(VALUE, '', 'trace\0.json')],
};

const ENTRIES = {
  postTask: {
    promises: true,
    args: { callback: [KINDS.function, (value) => scheduler.postTask(value)] },
    call: (options) => scheduler.postTask(never, options),
    members: {
      delay: KINDS.number, fairnessKey: KINDS.label, fairnessWeight: WEIGHT, label: KINDS.label,
      maxWait: KINDS.bound, priority: KINDS.priority, ref: KINDS.boolean, signal: KINDS.taskSignal,
    },
  },
  yield: {
    promises: true,
    call: (options) => scheduler.yield(options),
    members: {
      priority: KINDS.continuationPriority, ref: KINDS.boolean,
      signal: { ...KINDS.signal, hint: undefined },
    },
  },
  wait: {
    promises: true,
    args: { delay: [required(KINDS.number), (value) => scheduler.wait(value)] },
    call: (options) => scheduler.wait(0, options),
    members: { priority: KINDS.continuationPriority, ref: KINDS.boolean, signal: KINDS.signal },
  },
  onIdle: { promises: true, isStrict: true, call: onIdle, members: { signal: KINDS.taskSignal } },
  drain: {
    promises: true, isStrict: true, call: drain,
    members: { keep: KINDS.priority, signal: KINDS.taskSignal, timeout: TIMEOUT },
  },
  SharedTask: {
    isStrict: true,
    args: {
      callback: [KINDS.function, (value) => new SharedTask(value)],
      signal: [{ bad: [[signal, VALUE, /unknown option/]] },
        (value) => new SharedTask(never, { signal: value })],
      priority: [{ bad: [[new TaskController().signal, VALUE, /TaskSignal/]] },
        (priority) => new SharedTask(never, { priority })],
    },
    call: (options) => new SharedTask(never, options),
    members: { abortWhenUnused: KINDS.boolean, label: KINDS.label, priority: KINDS.priority },
  },
  join: {
    promises: true, isStrict: true,
    args: {
      priority: [{ bad: [[signal, VALUE, /AbortSignal/]] },
        (priority) => shared.join({ priority })],
    },
    call: shared.join,
    members: { priority: KINDS.continuationPriority, signal: KINDS.taskSignal },
  },
  TaskController: {
    call: (init) => new TaskController(init), members: { priority: KINDS.priority },
  },
  setPriority: {
    args: {
      priority: [required(KINDS.priority, VALUE),
        (value) => new TaskController().setPriority(value)],
    },
  },
  any: {
    args: {
      'signals': [{ ...SIGNALS, hostile: ITERABLES }, (value) => TaskSignal.any(value)],
      'signals|element': [required({ bad: KINDS.signal.bad }),
        (value) => TaskSignal.any([signal, value])],
    },
    call: (init) => TaskSignal.any([], init),
    members: {
      priority: { ...KINDS.priority, bad: [...KINDS.priority.bad, [signal, VALUE],
        [new TaskController(), VALUE, /a TaskSignal or one of 'user-blocking', .* of class Task/],
      ] },
    },
  },
  TaskPriorityChangeEvent: {
    args: {
      'type|argument': [{ bad: [[symbol, TYPE, /Symbol\(mine\)/]], hint: 'string' },
        (type) => new TaskPriorityChangeEvent(type, { previousPriority })],
      'init|argument': [kindOf(TYPE, ...PRIMITIVES),
        (init) => new TaskPriorityChangeEvent('type', init)],
      'previousPriority': [required(KINDS.priority), (value) =>
        new TaskPriorityChangeEvent('type', { previousPriority: value })],
      'argument': [{ bad: [[[], TYPE, /\b0\b|undefined/], [['type'], TYPE, /\b1\b|undefined/]] },
        (given) => new TaskPriorityChangeEvent(...given)],
    },
  },
  requestIdleCallback: {
    args: { callback: [KINDS.function, (value) => requestIdleCallback(value)] },
    call: (options) => requestIdleCallback(never, options),
    members: { ref: KINDS.boolean, timeout: UNSIGNED },
    end: cancelIdleCallback,
  },
  cancelIdleCallback: {
    args: {
      'handle|id': [UNSIGNED, cancelIdleCallback],
      'handle': [kindOf(TYPE, undefined), () => cancelIdleCallback()],
    },
  },
  pieces: {
    isStrict: true,
    args: {
      iterable: [kindOf(TYPE, undefined, null, 7, {}, { [Symbol.iterator]: 1 }),
        (value) => pieces(value)],
    },
    call: (options) => pieces([], options),
    members: { priority: KINDS.continuationPriority, signal: KINDS.heldSignal },
  },
  configure: {
    isStrict: true,
    args: {
      "maxWait\\['background'\\]": [KINDS.bound,
        (background) => configure({ maxWait: { background } })],
      'maxWait': [{ bad: [
        ...bad(TYPE, 5, true, symbol),
        [{ 'user-blocking': 3 }, VALUE, /unknown option 'user-blocking'.*'user-visible', 'b/],
      ] }, (maxWait) => configure({ maxWait })],
      'mode': [kindOf(VALUE, 'faster'), (mode) => configure({ timeSlice: 9, mode })],
    },
    call: configure,
    members: { idle: IDLE, timeSlice: WEIGHT },
    end: false,
  },
  reportSlowTasks: {
    isStrict: true,
    args: { report: [kindOf(TYPE, undefined, {}), (value) => reportSlowTasks(value)] },
    call: (options) => reportSlowTasks(nothing, options),
    members: {
      duration: KINDS.bound, signal: KINDS.heldSignal, stuckAfter: KINDS.bound,
      wait: KINDS.bound,
    },
    end: false,
  },
  traceTasks: {
    isStrict: true,
    args: { file: [FILE, (file) => traceTasks(file)] },
    call: (options) => traceTasks('trace.json', options),
    members: { signal: KINDS.heldSignal },
    end: false,
  },
  monitorTasks: { isStrict: true, call: monitorTasks, members: { window: KINDS.bound } },
  utilization: {
    args: {
      previous: [kindOf(TYPE, null, { ...monitor.utilization() }, monitor.time),
        (previous) => monitor.utilization(previous)],
    },
  },
  percentile: {
    args: {
      percent: [{ bad: [['99', TYPE], ...bad(RANGE, 0, 101)] },
        (percent) => monitor.priorities.background.wait.percentile(percent)],
    },
  },
};

describe('arguments:', () => testArguments(ENTRIES));

describe('a bad argument', () => {
  // Objects that are signals by `instanceof` only.
  const FAKES = [AbortSignal.prototype, Object.create(AbortSignal.prototype),
    Object.create(TaskSignal.prototype)];
  const TAKERS = {
    'postTask': [true, (fake) => scheduler.postTask(never, { signal: fake })],
    'yield': [true, (fake) => scheduler.yield({ signal: fake })],
    'TaskSignal.any': [false, (fake) => TaskSignal.any([fake])],
  };
  for (const [title, [promises, call]] of Object.entries(TAKERS)) {
    it(`is named in the message if it only inherits from AbortSignal: ${title} @prototypes`, () => {
      const name = title.split('.').at(-1);
      return assertRefused({ name, promises }, /signal/, call, bad(TYPE, ...FAKES));
    });
  }

  it('is a weight without a key', () => {
    const call = (fairnessWeight) => scheduler.postTask(never, { fairnessWeight });
    const text = /fairnessWeight must be given with a fairnessKey/;
    return assertRefused({ name: 'postTask', promises: true }, text, call, bad(VALUE, 3, 1));
  });

  it('is named in the message without running code of the application, nor reading options', () => {
    const tagged = { get [Symbol.toStringTag]() { return never(); } };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const values = [[tagged, TYPE], [proxy, TYPE, /a Proxy object/]];
    const options = { get priority() { return never(); } };
    const call = (value) => scheduler.postTask(value, options);
    return assertRefused({ name: 'postTask', promises: true }, /callback/, call, values);
  });
});

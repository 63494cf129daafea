'use strict';

// The arguments of every entry point of the package itself, as a table: what is refused, with which
// message and code. conversions.test.js tests what is accepted, interfaces.test.js the shape of the
// interfaces and illegal receivers.

const {
  SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal, cancelIdleCallback, configure,
  drain, monitorTasks, onIdle, pieces, reportSlowTasks, requestIdleCallback, scheduler, traceTasks,
} = require('../..');
const {
  FUNCTION, KINDS, MINE, NULL, OBJECT, PRIMITIVES, RANGE, SYMBOL, UNDEFINED, VALUE, assertRefused,
  coded, required, testArguments,
} = require('../helpers/arguments.js');

const nothing = () => {};
const never = () => {
  throw new Error('the task of a refused call ran');
};

const shared = new SharedTask(never);
const monitor = monitorTasks();
const { signal } = new AbortController();
const previousPriority = 'background';
const LONG = 'x'.repeat(121);

const kindOf = (bad) => ({ bad });
// Iterables whose own code throws.
const fail = () => {
  throw MINE;
};
const ITERABLES = [Object.defineProperty({}, Symbol.iterator, { get: fail }),
  { [Symbol.iterator]: fail }, { [Symbol.iterator]: () => ({ next: fail }) }];
const KEY = {
  bad: [[LONG, /a string of at most 120/, RANGE], SYMBOL,
    [LONG.repeat(10_000), /^.{0,250}the string "x+…"\.$/, RANGE]],
  good: 'a key', hint: 'string',
};
const WEIGHT = { ...KINDS.bound, bad: [...KINDS.bound.bad, [Infinity, /Infinity/, RANGE]] };
const UNSIGNED = { bad: [[1n, /\b1n?\b/], SYMBOL], good: 1, hint: 'number' };
const SIGNALS = [UNDEFINED, NULL, ...PRIMITIVES, OBJECT, FUNCTION, [signal, /object|AbortSignal/],
  [{ [Symbol.iterator]: 1 }, /object/i], [{ [Symbol.iterator]: null }, /object/i]];
// A timeout may be Infinity.
const TIMEOUT = {
  ...KINDS.number, bad: KINDS.number.bad.filter(([value]) => value !== Infinity),
};
const IDLE = {
  bad: [...coded(VALUE, [['Loop', /Loop/], ['', /""/], ['processor', /processor/], NULL, [0, /0/],
    [5n, /5n?/], [true, /true/], OBJECT]), SYMBOL],
  good: 'container', hint: 'string',
};
const FILE = [UNDEFINED, [1, /1/], [new URL('file:///trace.json'), /URL/],
  ...coded(VALUE, [['', /""/], ['trace\0.json', /trace/]])];

const ENTRIES = {
  postTask: {
    promises: true,
    args: { callback: [KINDS.function, (value) => scheduler.postTask(value)] },
    call: (options) => scheduler.postTask(never, options),
    members: {
      delay: KINDS.number, fairnessKey: KEY, fairnessWeight: WEIGHT, label: KINDS.label,
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
    members: {
      priority: KINDS.continuationPriority, ref: KINDS.boolean, signal: KINDS.signal,
    },
  },
  onIdle: {
    promises: true, isStrict: true, call: onIdle, members: { signal: KINDS.taskSignal },
  },
  drain: {
    promises: true, isStrict: true, call: drain,
    members: { priority: KINDS.priority, signal: KINDS.taskSignal, timeout: TIMEOUT },
  },
  SharedTask: {
    isStrict: true,
    args: {
      callback: [KINDS.function, (value) => new SharedTask(value)],
      signal: [kindOf([[signal, /unknown option/, VALUE]]),
        (value) => new SharedTask(never, { signal: value })],
      priority: [kindOf([[new TaskController().signal, /TaskSignal/, VALUE]]),
        (priority) => new SharedTask(never, { priority })],
    },
    call: (options) => new SharedTask(never, options),
    members: {
      abortWhenUnused: KINDS.boolean, label: KINDS.label, priority: KINDS.priority,
    },
  },
  join: {
    promises: true, isStrict: true,
    args: {
      priority: [kindOf([[signal, /AbortSignal/, VALUE]]), (priority) => shared.join({ priority })],
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
      'signals': [{ ...kindOf(SIGNALS), hostile: ITERABLES }, (value) => TaskSignal.any(value)],
      'signals|element': [required(kindOf(KINDS.signal.bad)),
        (value) => TaskSignal.any([signal, value])],
    },
    call: (init) => TaskSignal.any([], init),
    members: {
      priority: { ...KINDS.priority, bad: [...KINDS.priority.bad, ...coded(VALUE, [
        [signal, /object|AbortSignal/],
        [new TaskController(), /a TaskSignal or one of 'user-blocking', .* of class Task/],
      ])] },
    },
  },
  TaskPriorityChangeEvent: {
    args: {
      'type|argument': [{ bad: [SYMBOL], hint: 'string' },
        (type) => new TaskPriorityChangeEvent(type, { previousPriority })],
      'init|argument': [kindOf(PRIMITIVES), (init) => new TaskPriorityChangeEvent('type', init)],
      'previousPriority': [required(KINDS.priority), (value) => {
        return new TaskPriorityChangeEvent('type', { previousPriority: value });
      }],
      'argument': [kindOf([[[], /\b0\b|undefined/], [['type'], /\b1\b|undefined/]]),
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
      'handle': [kindOf([UNDEFINED]), () => cancelIdleCallback()],
    },
  },
  pieces: {
    isStrict: true,
    args: {
      iterable: [kindOf([UNDEFINED, NULL, [7, /7/], OBJECT, [{ [Symbol.iterator]: 1 }, /object/]]),
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
      'maxWait': [kindOf([[5, /5/], [true, /true/], SYMBOL,
        [{ 'user-blocking': 3 }, /unknown option 'user-blocking'.*'user-visible', 'b/, VALUE]]),
      (maxWait) => configure({ maxWait })],
      'mode': [kindOf([['faster', /faster/, VALUE]]), (mode) => configure({ timeSlice: 9, mode })],
    },
    call: configure,
    members: { idle: IDLE, timeSlice: WEIGHT },
    end: false,
  },
  reportSlowTasks: {
    isStrict: true,
    args: { report: [kindOf([UNDEFINED, OBJECT]), (value) => reportSlowTasks(value)] },
    call: (options) => reportSlowTasks(nothing, options),
    members: {
      duration: KINDS.bound, signal: KINDS.heldSignal, stuckAfter: KINDS.bound,
      wait: KINDS.bound,
    },
    end: false,
  },
  traceTasks: {
    isStrict: true,
    args: { file: [kindOf(FILE), (file) => traceTasks(file)] },
    call: (options) => traceTasks('trace.json', options),
    members: { signal: KINDS.heldSignal },
    end: false,
  },
  monitorTasks: { isStrict: true, call: monitorTasks, members: { window: KINDS.bound } },
  utilization: {
    args: {
      previous: [kindOf([NULL, [{ ...monitor.utilization() }, /object/], [monitor.time, /object/]]),
        (previous) => monitor.utilization(previous)],
    },
  },
  percentile: {
    args: {
      percent: [kindOf([['99', /"99"/], [0, /0/, RANGE], [101, /101/, RANGE]]),
        (percent) => monitor.priorities.background.wait.percentile(percent)],
    },
  },
};

describe('arguments:', () => testArguments(ENTRIES));

describe('a bad argument', () => {
  // Objects that are signals by `instanceof` only.
  const FAKES = [AbortSignal.prototype, Object.create(AbortSignal.prototype),
    Object.create(TaskSignal.prototype)].map((fake) => [fake, /Signal|object/]);
  const TAKERS = {
    'postTask': [true, (fake) => scheduler.postTask(never, { signal: fake })],
    'yield': [true, (fake) => scheduler.yield({ signal: fake })],
    'TaskSignal.any': [false, (fake) => TaskSignal.any([fake])],
  };
  for (const [title, [promises, call]] of Object.entries(TAKERS)) {
    it(`is named in the message if it only inherits from AbortSignal: ${title} @prototypes`, () => {
      const name = title.split('.').at(-1);
      return assertRefused({ name, promises }, /signal/, call, FAKES);
    });
  }

  it('is named in the message without running code of the application', () => {
    const tagged = { get [Symbol.toStringTag]() { return never(); } };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const bad = [[tagged, /object/i], [proxy, /object|proxy/i]];
    const call = (value) => scheduler.postTask(value);
    return assertRefused({ name: 'postTask', promises: true }, /callback/, call, bad);
  });
});

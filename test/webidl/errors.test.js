'use strict';

// The `code` of errors of what watches tasks and of illegal receivers, which is that of Node's own
// functions in the same case. webidl.test.js and interfaces.test.js test the other operations,
// host.test.js the hosts that are refused.

const assert = require('node:assert/strict');
const {
  Scheduler, SharedTask, TaskSignal, monitorTasks, pieces, reportSlowTasks, traceTasks,
} = require('../..');

const nothing = () => {};
const signal = {};
const monitor = monitorTasks();
const { background } = monitor.priorities;
const getterOf = ({ constructor }, name) => {
  return Object.getOwnPropertyDescriptor(constructor.prototype, name).get;
};

// Calls of the getters of an object's attributes with another receiver.
function receivers(object, names) {
  return Object.fromEntries(names.map((name) => [name, () => getterOf(object, name).call({})]));
}

const CALLS = {
  ERR_INVALID_ARG_TYPE: {
    'a previous utilization that is null': () => monitor.utilization(null),
    'one that only looks like it': () => monitor.utilization({ ...monitor.utilization() }),
    'the times of a monitor': () => monitor.utilization(monitor.time),
    'no report of reportSlowTasks': () => reportSlowTasks(),
    'a report of reportSlowTasks that is an object': () => reportSlowTasks({}, nothing),
    'a report and a number': () => reportSlowTasks(nothing, 50),
    'a signal of traceTasks': () => traceTasks('trace.json', { signal }),
    'a percentile that is a string': () => background.wait.percentile('99'),
    'a duration that is a string': () => reportSlowTasks(nothing, { duration: '50' }),
    'a stuckAfter that is a string': () => reportSlowTasks(nothing, { stuckAfter: '5000' }),
    'a signal of reportSlowTasks': () => reportSlowTasks(nothing, { signal }),
    'no file of traceTasks': () => traceTasks(),
    'a file that is a number': () => traceTasks(1),
    'a file that is a URL': () => traceTasks(new URL('file:///trace.json')),
  },
  ERR_INVALID_ARG_VALUE: {
    'a misspelt member of reportSlowTasks': () => reportSlowTasks(nothing, { waits: 5 }),
    'a misspelt member of traceTasks': () => traceTasks('trace.json', { signals: signal }),
    'a misspelt member of pieces': () => pieces([], { priorty: 'background' }),
    'an empty file of traceTasks': () => traceTasks(''),
    'a file of traceTasks with a null byte': () => traceTasks('trace\0.json'),
  },
  ERR_OUT_OF_RANGE: {
    'a duration of 0': () => reportSlowTasks(nothing, { duration: 0 }),
    'a stuckAfter of 0': () => reportSlowTasks(nothing, { stuckAfter: 0 }),
    'a stuckAfter of NaN': () => reportSlowTasks(nothing, { stuckAfter: NaN }),
    'a wait of reportSlowTasks of -1': () => reportSlowTasks(nothing, { wait: -1 }),
    'a percentile of 0': () => background.wait.percentile(0),
    'a percentile of 101': () => background.wait.percentile(101),
  },
  ERR_INVALID_THIS: {
    ...receivers(new SharedTask(nothing), ['join', 'priority', 'joined', 'isRunning']),
    ...Object.fromEntries(['enable', 'disable', 'reset', 'utilization', 'toJSON'].map((name) => {
      return [name, () => monitor[name].call({ disable() {} })];
    })),
    'dispose': () => monitor[Symbol.dispose].call({ disable() {} }),
    ...receivers(monitor, ['labels', 'longest', 'time']),
    ...receivers(background, ['queued', 'oldest', 'running', 'completed', 'failed', 'aborted']),
    ...receivers(background.wait, ['count', 'sum', 'min', 'max', 'mean', 'buckets']),
    'percentile': () => background.wait.percentile.call({}, 99),
  },
};

describe('an error is a TypeError with the code', () => {
  for (const [code, calls] of Object.entries(CALLS)) {
    for (const [name, call] of Object.entries(calls)) {
      it(`${code}: ${name}`, () => assert.throws(call, { name: 'TypeError', code }));
    }
  }
});

describe('the error of a class that cannot be constructed says where its objects come from', () => {
  const constructors = {
    'Scheduler': [() => new Scheduler(), /\bcreateScheduler\(\)/],
    'TaskSignal': [() => new TaskSignal(), /\bTaskController\b/],
  };
  for (const [name, [construct, message]] of Object.entries(constructors)) {
    it(name, () => assert.throws(construct, { message }));
  }
});

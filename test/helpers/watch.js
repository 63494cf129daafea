'use strict';

// Helpers of the tests of what watches tasks: a subscriber of all channels, which remembers the
// order of the messages, and what must hold for every message.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { subscribe, tracingChannel, unsubscribe } = require('node:diagnostics_channel');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { monitorTasks, onIdle, reportSlowTasks, scheduler } = require('../..');
const { shared } = require('../../lib/watch/channels.js');
const { LIMIT } = require('./programs.js');

const NAME = 'uv-scheduler:task';
const TRACING = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
const CHANNELS = new Map([
  ...TRACING.map((event) => [event, `tracing:${NAME}:${event}`]),
  ...['posted', 'aborted'].map((event) => [event, `${NAME}:${event}`]),
]);

// Subscribes to channels, all by default, until end() is called. `react(event, message)` is called
// inside of every message.
class Recorder {
  // Pairs of the event and the message.
  log = [];
  #listeners = [];

  constructor(react = () => {}, events = [...CHANNELS.keys()]) {
    for (const event of events) {
      const listener = (message, name) => {
        assert.equal(name, CHANNELS.get(event));
        this.log.push([event, message]);
        react(event, message);
      };
      this.#listeners.push([CHANNELS.get(event), listener]);
      subscribe(CHANNELS.get(event), listener);
    }
  }

  end() {
    for (const [name, listener] of this.#listeners) unsubscribe(name, listener);
  }

  // The messages, in the order of their ids.
  get messages() {
    const all = new Set(this.log.map(([, message]) => message));
    return [...all].sort((one, other) => one.id - other.id);
  }

  // The message with this label; of a task, unless `isContinuation` is set.
  message(label, isContinuation = false) {
    const found = this.messages.filter((each) => {
      return each.label === label && each.isContinuation === isContinuation;
    });
    assert.equal(found.length, 1, `messages labelled ${label}`);
    return found[0];
  }

  // The names of the events that a message was passed with, in order.
  events(message) {
    return this.log.filter(([, each]) => each === message).map(([event]) => event);
  }

  // The same for a label, in one string.
  eventsOf(label, isContinuation = false) {
    return this.events(this.message(label, isContinuation)).join(' ');
  }
}

// In seconds: more than what two clocks differ by.
const CLOSE = 0.1;

// Returns a function that says how many seconds have passed: a machine can hold a test up between
// any two lines.
function stopwatch() {
  const begun = performance.now();
  return () => performance.now() - begun;
}

// Resolves when a condition holds. Throws if it does not for very long.
async function until(holds) {
  const end = performance.now() + LIMIT;
  while (!holds()) {
    assert.ok(performance.now() < end, 'this never came');
    await sleep(1);
  }
}

// The functions that end the watching that a test has begun.
const ends = [];

// A recorder that ends with the test.
function record(react, events) {
  const recorder = new Recorder(react, events);
  ends.push(() => recorder.end());
  return recorder;
}

// A monitor that is enabled until the test ends.
function enabledMonitor() {
  const monitor = monitorTasks();
  monitor.enable();
  ends.push(() => monitor.disable());
  return monitor;
}

// The reports of slow tasks until the test ends.
function collectReports(options) {
  const reports = [];
  ends.push(reportSlowTasks((report) => reports.push(report), options).stop);
  return reports;
}

// Resolves to the first report, until the test ends, for which `isWanted(report)` holds.
function firstReport(isWanted, options) {
  return new Promise((resolve) => {
    ends.push(reportSlowTasks((report) => isWanted(report) && resolve(report), options).stop);
  });
}

// Until end(), what the binding would say if background work were held: the ms for each
// reason, and the number of the reason of a hold under way. No test needs a quota for it.
class FakeHold {
  container = 0;
  machine = 0;
  reason = 0;
  end;

  constructor(context = shared.contexts[0]) {
    const { readHeld } = context;
    context.readHeld = () => {
      return Float64Array.of(this.container * 1e6, this.machine * 1e6, this.reason);
    };
    this.end = () => (context.readHeld = readHeld);
  }
}

// A hold that ends with the test.
function fakeHold() {
  const hold = new FakeHold();
  ends.push(hold.end);
  return hold;
}

const COUNTS = ['queued', 'running', 'completed', 'failed', 'aborted'];

// The counts of one priority of a monitor that are not 0.
function counts(monitor, priority = 'user-visible') {
  const of = monitor.priorities[priority];
  const all = COUNTS.map((name) => [name, of[name]]);
  all.push(['waits', of.wait.count], ['durations', of.duration.count]);
  return Object.fromEntries(all.filter(([, count]) => count !== 0));
}

// For each `describe`: no test sees the tasks, recorders and monitors of another.
function separateTests() {
  // When the last subscriber has left, the thread is watched until a turn that runs a task ends.
  beforeEach(async () => {
    await onIdle();
    await scheduler.postTask(() => {});
    await turn();
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
}

// The kinds of tasks and continuations: what became of each, and the order of its messages. A task
// can settle inside its callback only by being aborted.
const KINDS = {
  'completed': ['completed', 'posted start end asyncStart asyncEnd'],
  'failed': ['failed', 'posted start end error asyncStart asyncEnd'],
  'dropped': ['aborted', 'posted aborted'],
  'aborted inside': ['aborted', 'posted start aborted asyncStart asyncEnd end'],
  'aborted behind': ['aborted', 'posted start end aborted asyncStart asyncEnd'],
};
const CONTINUATIONS = {
  'completed': ['completed', 'posted start asyncStart asyncEnd end'],
  'dropped': ['aborted', 'posted aborted'],
};

// The kind of a message by its outcome and events. All tasks must have settled.
function kindOf(recorder, message) {
  const events = recorder.events(message).join(' ');
  const kinds = Object.entries(message.isContinuation ? CONTINUATIONS : KINDS);
  const found = kinds.find(([, [outcome, order]]) => {
    return message.outcome === outcome && events === order;
  });
  assert.ok(found, `${message.outcome}: ${events}`);
  return found[0];
}

// Checks that the messages of a recorder are of some kind and have right times, and, if `kinds` is
// given, that they have these labels and are of these kinds: `{ label: kind }`.
function assertConsistent(recorder, kinds) {
  const found = recorder.messages.map((message) => {
    assertTimes(message);
    return [message.label, kindOf(recorder, message)];
  });
  if (kinds !== undefined) assert.deepEqual(Object.fromEntries(found), kinds);
}

function assertTimes({ delay, postedAt, queuedAt, startedAt, endedAt, outcome }) {
  const times = [postedAt, queuedAt];
  if (startedAt === undefined) assert.equal(outcome, 'aborted');
  else times.push(startedAt, endedAt);
  assert.equal(queuedAt, postedAt + delay);
  for (const time of times) assert.equal(typeof time, 'number');
  assert.deepEqual(times, [...times].sort((one, other) => one - other));
  assert.ok(endedAt === undefined || endedAt <= performance.now());
}

// A store that is bound to the channel `start` until the test ends.
function boundStore(transform) {
  const store = new AsyncLocalStorage();
  const { start } = tracingChannel(NAME);
  start.bindStore(store, transform);
  ends.push(() => start.unbindStore(store));
  return store;
}

module.exports = {
  CLOSE,
  FakeHold,
  assertConsistent,
  assertTimes,
  boundStore,
  collectReports,
  counts,
  enabledMonitor,
  fakeHold,
  firstReport,
  record,
  separateTests,
  stopwatch,
  until,
};

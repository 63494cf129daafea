'use strict';

// Helpers of the tests of what watches tasks: a subscriber of all channels, which remembers the
// order of the messages, and what must hold for every message.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { subscribe, tracingChannel, unsubscribe } = require('node:diagnostics_channel');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { onIdle, scheduler } = require('../..');
const { monitorTasks, reportSlowTasks } = require('uv-scheduler/watch');
const { createTestScheduler } = require('uv-scheduler/testing');
const { contexts } = require('../../lib/watch/channels.js');
const { LIMIT } = require('./programs.js');

const NAME = 'uv-scheduler:task';
const TRACING = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
const CHANNELS = new Map([
  ...TRACING.map((event) => [event, `tracing:${NAME}:${event}`]),
  ...['posted', 'aborted'].map((event) => [event, `${NAME}:${event}`]),
]);

// The functions that end the watching that a test has begun.
const ends = [];

// Subscribes to channels, all by default, until end() is called or the test ends.
// `react(event, message)` is called inside of every message.
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
    ends.push(() => this.end());
  }

  end() {
    for (const [name, listener] of this.#listeners) unsubscribe(name, listener);
  }

  // The messages, in the order of their ids.
  get messages() {
    const all = new Set(this.log.map(([, message]) => message));
    return [...all].sort((one, other) => one.id - other.id);
  }

  // The message of the task with this label.
  message(label) {
    const found = this.messages.filter((each) => each.label === label && !each.isContinuation);
    assert.equal(found.length, 1, `messages labelled ${label}`);
    return found[0];
  }

  // The names of the events that a message was passed with, in order.
  events(message) {
    return this.log.filter(([, each]) => each === message).map(([event]) => event);
  }

  // The same for a label, in one string.
  eventsOf(label) {
    return this.events(this.message(label)).join(' ');
  }
}

// In milliseconds: more than what two clocks differ by.
const CLOSE = 0.1;

// Returns a function that says how many milliseconds have passed: a machine can hold a test up
// between any two lines.
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

const record = (react, events) => new Recorder(react, events);

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

// Until the test ends, what the binding would say if background work were held: the ms for each
// reason, and the number of the reason of a hold under way. No test needs a quota for it.
function fakeHold(context = contexts()[0]) {
  const hold = { container: 0, machine: 0, reason: 0 };
  const { readHeld } = context;
  context.readHeld = () => Float64Array.of(hold.container * 1e6, hold.machine * 1e6, hold.reason);
  ends.push(() => (context.readHeld = readHeld));
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

// The same with a test scheduler for each test, whose clock moves only as the test says.
function useClock() {
  separateTests();
  let test;
  beforeEach(() => (test = createTestScheduler()));
  afterEach(() => test.stop());
  const clock = {
    // The running code takes so many ms.
    spend: (ms) => test.spend(ms),
    advance: (ms) => test.advance(ms),
    get now() { return test.now; },
    // A task that takes so many ms.
    post: (ms, options) => scheduler.postTask(() => clock.spend(ms), options),
    // Runs what is queued, and reports on it. Reports come two turns behind what they are about.
    async run() {
      await test.runAll();
      await test.advance(0);
    },
  };
  return clock;
}

// The kinds of tasks and continuations by what became of each and the order of its messages. A task
// can settle inside its callback only by being aborted.
const KINDS = {
  'task completed: posted start end asyncStart asyncEnd': 'completed',
  'task failed: posted start end error asyncStart asyncEnd': 'failed',
  'task aborted: posted aborted': 'dropped',
  'task aborted: posted start aborted asyncStart asyncEnd end': 'aborted inside',
  'task aborted: posted start end aborted asyncStart asyncEnd': 'aborted behind',
  'continuation completed: posted start asyncStart asyncEnd end': 'completed',
  'continuation aborted: posted aborted': 'dropped',
};

// Checks that the messages of a recorder are of some kind and have right times, and, if `kinds` is
// given, that they have these labels and are of these kinds: `{ label: kind }`. All tasks must have
// settled.
function assertConsistent(recorder, kinds) {
  const found = recorder.messages.map((message) => {
    assertTimes(message);
    const what = message.isContinuation ? 'continuation' : 'task';
    const order = `${what} ${message.outcome}: ${recorder.events(message).join(' ')}`;
    assert.ok(Object.hasOwn(KINDS, order), order);
    return [message.label, KINDS[order]];
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
  CLOSE, assertConsistent, assertTimes, boundStore, collectReports, counts, enabledMonitor,
  fakeHold, firstReport, record, separateTests, stopwatch, until, useClock,
};

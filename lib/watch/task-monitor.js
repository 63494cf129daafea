'use strict';

// monitorTasks() and the TaskMonitor: shows the counts of its statistics, and the tasks that wait
// and run now.

const { defineInspect } = require('../webidl/inspect.js');
const webidl = require('../webidl/conversions.js');
const { contexts } = require('./channels.js');
const { NANOSECONDS_PER_MILLISECOND } = require('./clock.js');
const { heldFor } = require('./held-time.js');
const { MOST_SHOWN } = require('./label-times.js');
const { PRIORITIES, indexOf, queuedRanks } = require('./priorities.js');
const { Statistics } = require('./statistics.js');
const { TimeDistribution } = require('./time-distribution.js');
const { theWatch } = require('./watch.js');

const OPTIONS = new webidl.Parameter("'monitorTasks'", 'the argument options');
const MEMBERS = { window: webidl.toBound };

const UTILIZATION = "'utilization' on 'TaskMonitor'";
const PREVIOUS = new webidl.Parameter(UTILIZATION, 'the argument previous');

// The order in which priorities are shown.
const ORDER = webidl.PRIORITIES;

// The attributes of a priority, and of a monitor in addition to `priorities`.
const COUNTS = ['queued', 'oldest', 'running', 'completed', 'failed', 'aborted'];
const ATTRIBUTES = ['keys', 'labels', 'longest', 'time', 'heldTime', 'heldFor'];

// Each throws if the receiver of an operation does not implement its interface.
let check;
let checkPriority;

// One priority of a monitor.
class TaskPriorityStatistics {
  #statistics;
  #index;

  constructor(statistics, priority) {
    this.#statistics = statistics;
    this.#index = indexOf(priority);
    for (const [name, distributions] of [
      ['wait', statistics.waits],
      ['duration', statistics.durations],
    ]) {
      const value = new TimeDistribution(distributions[this.#index]);
      Object.defineProperty(this, name, { __proto__: null, value, enumerable: true });
    }
  }

  get queued() {
    checkPriority(this, 'queued');
    return queued(this.#index).count;
  }

  get oldest() {
    checkPriority(this, 'oldest');
    return queued(this.#index).oldest;
  }

  get running() {
    checkPriority(this, 'running');
    return running(this.#index);
  }

  get completed() {
    checkPriority(this, 'completed');
    return this.#statistics.completed[this.#index];
  }

  get failed() {
    checkPriority(this, 'failed');
    return this.#statistics.failed[this.#index];
  }

  get aborted() {
    checkPriority(this, 'aborted');
    return this.#statistics.aborted[this.#index];
  }

  toJSON() {
    checkPriority(this, 'toJSON');
    return toPlain(this, ['wait', 'duration', ...COUNTS]);
  }

  static {
    const has = (value) => #index in value;
    ({ check: checkPriority } = webidl.brand('TaskPriorityStatistics', has));
  }
}

// The attributes of an object as plain values.
function toPlain(object, names) {
  const entries = names.map((name) => {
    const value = object[name];
    return [name, value?.toJSON === undefined ? value : value.toJSON()];
  });
  return Object.fromEntries(entries);
}

// The number of queued tasks and continuations of a priority in all contexts, and the wait of the
// oldest in ms.
function queued(index) {
  const now = theWatch().now();
  let count = 0;
  let oldest = 0;
  for (const context of contexts()) {
    for (const rank of queuedRanks(context)) {
      if (rank.index !== index) continue;
      count += rank.count;
      oldest = Math.max(oldest, context.observers.watch?.ageOfOldest(rank, now) ?? 0);
    }
  }
  return { count, oldest };
}

// The fairness keys of all contexts with the most thread time, and a row for what no request took.
function keys() {
  const list = contexts().flatMap(({ flows, unclaimedTime }) => {
    const levels = Object.fromEntries(ORDER.map((priority) => {
      return [priority, flows.listLevels(priority).map(toMilliseconds)];
    }));
    const time = unclaimedTime() * NANOSECONDS_PER_MILLISECOND;
    const unclaimed = { name: '(nobody)', weight: 1, requests: 0, time, wait: 0 };
    const rows = time > 0 ? [...flows.listKeys(), unclaimed] : flows.listKeys();
    return rows.map((key) => ({ ...key, levels }));
  });
  list.sort((one, other) => other.time - one.time);
  return list.slice(0, MOST_SHOWN).map(({ name, weight, requests, time, wait, levels }) => ({
    key: name ?? null,
    weight,
    requests,
    time: toMilliseconds(time),
    waitTime: toMilliseconds(wait),
    levels,
  }));
}

const toMilliseconds = (time) => time / NANOSECONDS_PER_MILLISECOND;

// The number of running tasks of a priority in all contexts.
function running(index) {
  let count = 0;
  for (const { currentPriorityOf, visitRunning } of contexts()) {
    visitRunning((task) => {
      if (currentPriorityOf(task.state) === PRIORITIES[index]) count++;
    });
  }
  return count;
}

// The shares of a time. Keeps the time itself for the next call.
class TaskUtilization {
  #times;
  #era;

  // A `previous` of another monitor, or from before a reset, is ignored.
  constructor(times, era, previous) {
    this.#times = times;
    this.#era = era;
    const before = previous?.#era === era ? previous.#times : undefined;
    const states = Object.keys(times);
    // If a task runs the loop, the idle time of that nested run also counts as time of the task.
    const spent = states.map((state) => Math.max(0, times[state] - (before?.[state] ?? 0)));
    const all = spent.reduce((sum, time) => sum + time, 0);
    states.forEach((state, i) => {
      this[state] = all > 0 ? spent[i] / all : 0;
    });
  }

  static is(value) {
    return webidl.isObject(value) && #times in value;
  }
}

class TaskMonitor {
  #statistics;
  #isEnabled = false;

  // In milliseconds.
  constructor(window) {
    this.#statistics = new Statistics(window * NANOSECONDS_PER_MILLISECOND);
    const entries = ORDER.map((priority) => [
      priority,
      new TaskPriorityStatistics(this.#statistics, priority),
    ]);
    const value = Object.freeze(Object.fromEntries(entries));
    Object.defineProperty(this, 'priorities', { __proto__: null, value, enumerable: true });
  }

  enable() {
    check(this, 'enable');
    if (this.#isEnabled) return false;
    this.#isEnabled = true;
    theWatch().addStatistics(this.#statistics);
    return true;
  }

  disable() {
    check(this, 'disable');
    if (!this.#isEnabled) return false;
    this.#isEnabled = false;
    theWatch().removeStatistics(this.#statistics);
    return true;
  }

  reset() {
    check(this, 'reset');
    theWatch().resetStatistics(this.#statistics);
  }

  [Symbol.dispose]() {
    check(this, 'Symbol.dispose');
    TaskMonitor.prototype.disable.call(this);
  }

  get longest() {
    check(this, 'longest');
    const watch = theWatch();
    const longest = this.#statistics.longest.read(watch.now());
    return longest.map(({ label, priority, startedAt, duration }) => ({
      label,
      priority: PRIORITIES[priority],
      startedAt: watch.toMilliseconds(startedAt),
      duration: toMilliseconds(duration),
    }));
  }

  get keys() {
    check(this, 'keys');
    return keys();
  }

  get labels() {
    check(this, 'labels');
    return this.#statistics.labels.top.map(({ label, priority, count, time, max }) => ({
      label,
      priority: PRIORITIES[priority],
      count,
      time: toMilliseconds(time),
      max: toMilliseconds(max),
    }));
  }

  get time() {
    check(this, 'time');
    return theWatch().timeOf(this.#statistics);
  }

  get heldTime() {
    check(this, 'heldTime');
    const times = Object.entries(this.#statistics.heldTime());
    return Object.fromEntries(times.map(([reason, time]) => [reason, toMilliseconds(time)]));
  }

  get heldFor() {
    check(this, 'heldFor');
    return heldFor();
  }

  toJSON() {
    check(this, 'toJSON');
    const priorities = ORDER.map((each) => [each, this.priorities[each].toJSON()]);
    return {
      priorities: Object.fromEntries(priorities),
      ...toPlain(this, ATTRIBUTES),
    };
  }

  utilization(previous = undefined) {
    check(this, 'utilization');
    if (previous !== undefined && !TaskUtilization.is(previous)) {
      throw PREVIOUS.error('a result of utilization()', previous);
    }
    const times = theWatch().timeOf(this.#statistics);
    return new TaskUtilization(times, this.#statistics.era, previous);
  }

  static {
    ({ check } = webidl.brand('TaskMonitor', (value) => #statistics in value));
  }
}

webidl.defineInterface(TaskPriorityStatistics, [...COUNTS, 'toJSON']);
webidl.defineInterface(
  TaskMonitor,
  ['enable', 'disable', 'reset', ...ATTRIBUTES, 'utilization', 'toJSON'],
);

// Returns a function that copies these attributes of an object.
const pick = (names) => (object) => Object.fromEntries(names.map((name) => [name, object[name]]));

defineInspect(TaskPriorityStatistics, pick(['wait', 'duration', ...COUNTS]));
defineInspect(TaskMonitor, pick(['priorities', ...ATTRIBUTES]));

function monitorTasks(options = undefined) {
  const { window = Infinity } = webidl.readOptions(options, OPTIONS, MEMBERS);
  return new TaskMonitor(window);
}

module.exports = { monitorTasks };

'use strict';

// Watches all tasks of a thread for monitors, traces, and subscribers of the channels. Divides the
// time into steps: a step lasts from the start of a task or continuation until the ticks and
// microtasks after it have run.
//
// All times are in nanoseconds. The binding publishes each time that it reads, so the start of a
// step, which is the end of the previous step, reads no clock.

const { hrtime } = require('../loop/time.js');
const channels = require('./channels.js');
const {
  NANOSECONDS_PER_MILLISECOND,
  findOrigin,
  isSameClock,
  timeIn,
  timeOf,
} = require('./clock.js');
const { ContextWatch } = require('./context-watch.js');
const { forgetLast } = require('./message.js');
const { indexOf } = require('./priorities.js');

const { shared } = channels;

// The current step, or a step that it interrupts, because a task runs the loop.
class Step {
  // The step that it interrupts.
  outer = undefined;
  // The number of steps under way, including this one.
  depth = 0;
  priority = 0;
  // Whether it belongs to a task or continuation, and not to an idle callback.
  isCounted = false;
  // The source of its label: a label or a callback.
  source = undefined;
  // The task or continuation.
  entry = undefined;
  message = undefined;
  // The time when it was queued; 0 if unknown.
  queuedAt = 0;
  // The joins that wait for it, if it belongs to a shared task and there are listeners.
  joins = undefined;
  // The fairness key and the level of its request, if a listener wants them.
  fairness = undefined;
  startedAt = 0;
  // The time when it began, or continued after another step.
  resumedAt = 0;
  // Its time up to `resumedAt`, without the steps that interrupted it.
  spent = 0;
  endedAt = 0;
}

// Watches all contexts of a thread.
class Watch {
  // The Statistics of enabled monitors.
  statistics = [];
  // Traces, reports of slow tasks, and the exporter for OpenTelemetry. Each has the methods
  // `posted`, `stepped`, `settled` and `turned`, for shared tasks `joined` and `joinsEnd`, and may
  // have `began`, `returned` when its callback has, `rested` when no step is under way, `call`,
  // `lostPriority` and, for the end of the thread, `exit`. `needsMessages` says whether it uses
  // messages about tasks and joins. If none does, tasks have messages only for subscribers of the
  // channels, and joins are not watched.
  listeners = [];
  // The listeners that call the callbacks of tasks.
  callers = [];
  // The innermost step.
  step = undefined;
  #ended = undefined;
  // The number of tasks whose callbacks are being called.
  depth = 0;
  lastPost = 0;
  // The time since which all tasks are watched.
  since = 0;
  // The time when `performance.now()` was 0.
  origin;
  // The context that reports the turns of the loop. It lives as long as the Watch.
  home;
  // Node's own reading of the same clock is faster than a call of the binding.
  #hrtime;
  #isOn = false;
  #awaitsExit = false;

  constructor() {
    const [context] = channels.contexts();
    this.home = context;
    const read = () => {
      context.readClock();
      return timeIn(context.words);
    };
    this.#hrtime = isSameClock(hrtime, read) ? hrtime : () => [0, read()];
    this.origin = findOrigin(read);
  }

  now() {
    return timeOf(this.#hrtime());
  }

  // Converts a time to the clock of `performance.now()`.
  toMilliseconds(time) {
    return (time - this.origin) / NANOSECONDS_PER_MILLISECOND;
  }

  // Begins to watch, if not watching already.
  start() {
    if (this.#isOn) return;
    this.#isOn = true;
    // If the last watch ended in the report of a step, the next step was opened nevertheless.
    this.step = undefined;
    this.since = this.now();
    for (const context of channels.contexts()) this.join(context);
    for (const context of channels.contexts()) this.#adopt(context);
  }

  // Opens a step for the task whose callback begins to watch: the time from now on counts for it.
  #adopt({ askForEndOfCheck, currentPriorityOf, innermostTask }) {
    const task = innermostTask();
    if (task === undefined || this.step !== undefined) return;
    const step = this.open(this.since);
    step.depth = Math.max(1, this.depth);
    step.isCounted = true;
    step.priority = indexOf(currentPriorityOf(task.state));
    step.source = task.label ?? task.callback;
    step.entry = task;
    askForEndOfCheck();
  }

  // A context was loaded.
  join(context) {
    if (!this.#isOn) return;
    context.observers.watch = new ContextWatch(context, this);
    context.observers.wantsMessages = this.#wantsMessages;
  }

  get #wantsMessages() {
    return this.listeners.some(({ needsMessages }) => needsMessages);
  }

  addListener(listener) {
    this.listeners = [...this.listeners, listener];
    this.#listenersChanged();
  }

  removeListener(listener) {
    this.listeners = this.listeners.filter((each) => each !== listener);
    this.#listenersChanged();
  }

  #listenersChanged() {
    this.callers = this.listeners.filter((each) => each.call !== undefined);
    this.#listenForExit();
    this.start();
    for (const { askForEndOfCheck, observers } of channels.contexts()) {
      observers.wantsMessages = this.#wantsMessages;
      askForEndOfCheck();
    }
    this.stopUnlessWatched();
  }

  // One listener on the process for all, as Node warns of more than ten. The listener keeps its
  // position, so that listeners that the program adds later can use the reports.
  #listenForExit() {
    const isWanted = this.listeners.some((each) => each.exit !== undefined);
    if (isWanted === this.#awaitsExit) return;
    this.#awaitsExit = isWanted;
    if (isWanted) process.on('exit', this.#onExit);
    else process.off('exit', this.#onExit);
  }

  #onExit = () => this.exit();

  // The thread ends.
  exit() {
    this.#exit(this.listeners);
  }

  // Calls exit() of all listeners, even if one of them throws or removes others.
  #exit([first, ...rest]) {
    if (first === undefined) return;
    try {
      if (this.listeners.includes(first)) first.exit?.();
    } finally {
      this.#exit(rest);
    }
  }

  // Each listener calls the callback that it gets, exactly once.
  callByListeners(message, callback) {
    const start = () => channels.callStarted(message, callback);
    return this.callers.reduce((inner, each) => () => each.call(message, inner), start)();
  }

  addStatistics(statistics) {
    this.start();
    this.statistics = [...this.statistics, statistics];
    const now = this.now();
    statistics.resume(now);
    // The time of the current steps up to now will be added when they end, so it is subtracted
    // here.
    this.#addUncounted(statistics.time, now, -1);
  }

  removeStatistics(statistics) {
    const now = this.now();
    this.#addUncounted(statistics.time, now, 1);
    statistics.pause(now);
    this.statistics = this.statistics.filter((each) => each !== statistics);
    this.stopUnlessWatched();
  }

  resetStatistics(statistics) {
    const now = this.now();
    statistics.reset(now);
    if (this.statistics.includes(statistics)) this.#addUncounted(statistics.time, now, -1);
  }

  // Adds the uncounted time of the current steps up to now to the times of their priorities.
  #addUncounted(times, now, sign) {
    if (this.step !== undefined) times[this.step.priority] += sign * (now - this.step.resumedAt);
    for (let step = this.step; step !== undefined; step = step.outer) {
      times[step.priority] += sign * step.spent;
    }
  }

  // Milliseconds spent in each priority, in other callbacks, and idle.
  timeOf(statistics) {
    const now = this.now();
    const time = Array.from(statistics.time);
    if (this.statistics.includes(statistics)) this.#addUncounted(time, now, 1);
    const { elapsed, idle } = statistics.wholeTime(now);
    const other = Math.max(0, elapsed - idle - time[0] - time[1] - time[2]);
    const milliseconds = (time) => time / NANOSECONDS_PER_MILLISECOND;
    return {
      'user-blocking': milliseconds(time[2]),
      'user-visible': milliseconds(time[1]),
      'background': milliseconds(time[0]),
      'other': milliseconds(other),
      'idle': milliseconds(idle),
    };
  }

  stopUnlessWatched() {
    if (!this.#isOn || this.statistics.length > 0 || this.listeners.length > 0) return;
    if (channels.areSubscribed()) return;
    this.#isOn = false;
    this.step = undefined;
    forgetLast();
    for (const { observers } of channels.contexts()) {
      observers.watch?.stop();
      observers.watch = undefined;
    }
  }

  // Opens a step. The current step continues when the new step has ended.
  open(now, step = new Step()) {
    const outer = this.step;
    if (outer !== undefined) outer.spent += now - outer.resumedAt;
    step.outer = outer;
    step.depth = this.depth + 1;
    step.startedAt = now;
    step.resumedAt = now;
    step.spent = 0;
    this.step = step;
    return step;
  }

  // Ends the current step, unless its task is still being called.
  endStep(now) {
    const { step } = this;
    if (!this.hasInner || step.outer !== undefined) {
      this.close(now);
      return;
    }
    // Not current during its report, as a subscriber may begin to watch then.
    this.step = undefined;
    step.endedAt = now;
    this.end(step);
    this.#ended = step;
  }

  // The object of a step that has ended, which the next step uses again, if there is one.
  takeEnded() {
    const step = this.#ended;
    this.#ended = undefined;
    return step;
  }

  // Reports the current steps to a listener that stops, as if they ended now, the innermost first.
  endFor(listener) {
    const now = this.now();
    for (let { step } = this; step !== undefined; step = step.outer) listener.stepped(step, now);
  }

  // Whether the innermost step is the rest of a task whose callback has returned: its ticks and
  // microtasks.
  get hasInner() {
    return this.step !== undefined && this.step.depth > this.depth;
  }

  // Ends the steps that do not belong to tasks that are being called.
  close(now) {
    while (this.hasInner) {
      const { step } = this;
      this.step = step.outer;
      if (this.step !== undefined) this.step.resumedAt = now;
      step.endedAt = now;
      this.end(step);
    }
  }

  // A step has ended.
  end(step) {
    const all = this.statistics;
    for (let i = 0; i < all.length; i++) all[i].countStep(step);
    if (step.message !== undefined || this.listeners.length > 0) this.#report(step);
  }

  // Reports a step that has ended.
  #report(step) {
    const { message } = step;
    for (const listener of this.listeners) listener.stepped(step, step.endedAt);
    if (message === undefined || !message.isContinuation) return;
    message.endedAt = this.toMilliseconds(step.endedAt);
    this.publish(channels.end, message);
  }

  publish(channel, message) {
    channels.publish(channel, message);
    if (channels.isWaiting()) for (const each of channels.contexts()) each.askForEndOfCheck();
  }
}

// The thread's Watch.
function theWatch() {
  return shared.watch ??= new Watch();
}

// Watches for the subscribers of the channels.
function watchForSubscribers() {
  theWatch().start();
}

module.exports = { theWatch, watchForSubscribers };

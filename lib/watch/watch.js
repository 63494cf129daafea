'use strict';

// Follows all tasks and continuations of a thread while somebody watches: notes when each is
// posted, starts and settles, and tells the statistics of the monitors, the subscribers of the
// channels, and the traces. Steps divide the time: a step is what holds the thread from the start
// of a task or continuation until the ticks and microtasks after it have run.
//
// All times are in nanoseconds. The binding publishes each time that it reads, so the start of a
// step, which is the end of the step before, reads no clock.

const channels = require('./channels.js');
const { NANOSECONDS_PER_MILLISECOND, findOrigin } = require('./clock.js');
const { createMessage, forgetLast, labelOf } = require('./message.js');

const { shared } = channels;

const NANOSECONDS_PER_SECOND = 1e9;

// By index.
const PRIORITIES = ['background', 'user-visible', 'user-blocking'];

// When a task was queued that was posted before anybody watched.
const UNKNOWN = -1;

// The index of a priority.
function indexOf(priority) {
  if (priority === 'user-visible') return 1;
  return priority === 'background' ? 0 : 2;
}

// The index of a rank's priority. Idle callbacks count as background work.
function priorityOfRank(rank) {
  return rank === 0 ? 0 : rank - 1 >> 1;
}

function isContinuationRank(rank) {
  return rank > 0 && rank % 2 === 0;
}

// The step under way, and the steps that it interrupts: those of tasks that run the loop.
class Step {
  // How many steps are under way when it is.
  depth = 0;
  priority = 0;
  // Whether it is one of a task or continuation, and not of an idle callback.
  isCounted = false;
  // What it is labelled by: a label or a callback.
  source = undefined;
  message = undefined;
  startedAt = 0;
  // When it began, or went on after another step.
  resumedAt = 0;
  // How long it took until then, without the other steps.
  spent = 0;
}

// Watches the tasks of one context. The event loop and the tasks of the context call it.
class ContextWatch {
  #context;
  #watch;
  // By id of those that wait: when it was queued or will be, its rank, and what a continuation is
  // labelled by.
  #times = [];
  #ranks = [];
  #sources = [];

  constructor(context, watch) {
    this.#context = context;
    this.#watch = watch;
    context.visitWaiting((entry, rank, isDelayed, id) => {
      this.#times[id] = UNKNOWN;
      this.#ranks[id] = rank;
    });
  }

  // Something was posted.
  queued(id, rank, delay) {
    const watch = this.#watch;
    const now = this.#context.readTime();
    watch.lastPost = now;
    this.#times[id] = now + delay * NANOSECONDS_PER_MILLISECOND;
    this.#ranks[id] = rank;
    if (isContinuationRank(rank)) this.#sources[id] = watch.step?.source;
  }

  // Something that waited was removed.
  removed(id) {
    this.#sources[id] = undefined;
  }

  // A task or continuation was posted, and all is in place for it.
  posted(entry, isContinuation, delay) {
    const watch = this.#watch;
    const owner = this.#context.currentTask();
    let label;
    if (isContinuation) label = labelOf(owner?.label ?? owner?.callback);
    else label = entry.label ??= labelOf(entry.callback);
    const priority = this.#context.currentPriorityOf(entry.state);
    const postedAt = watch.toMilliseconds(watch.lastPost);
    const message = createMessage(
      owner?.messageId, priority, isContinuation, label, delay, postedAt);
    entry.message = message;
    entry.messageId = message.id;
    if (isContinuation) entry.label = label;
    for (const listener of watch.listeners) listener.posted(message, watch.step);
    watch.publish(channels.posted, message);
  }

  // A step begins, with the last time that the binding has read.
  begin(entry, id) {
    const watch = this.#watch;
    const now = this.#context.lastTime();
    if (watch.step !== undefined) watch.close(now);
    const rank = this.#ranks[id];
    const step = watch.open(now);
    let priority = priorityOfRank(rank);
    let isContinuation = true;
    if (typeof entry === 'function') {
      step.isCounted = true;
      step.source = this.#takeSource(id);
    } else {
      ({ isContinuation } = entry);
      if (entry.state?.prioritySource !== undefined) {
        priority = indexOf(this.#context.currentPriorityOf(entry.state));
      }
      step.isCounted = isContinuation || entry.isTask;
      step.source = entry.label ?? (isContinuation ? this.#takeSource(id) : entry.callback);
      step.message = entry.message;
      if (step.message !== undefined) {
        step.message.priority = PRIORITIES[priority];
        step.message.startedAt = watch.toMilliseconds(now);
      }
    }
    step.priority = priority;
    this.#context.askForEndOfCheck();
    if (step.isCounted) watch.countStart(priority, isContinuation, now, this.#times[id]);
  }

  #takeSource(id) {
    const source = this.#sources[id];
    this.#sources[id] = undefined;
    return source;
  }

  // The function that a step begins with has returned, and so have those that it ran the loop for.
  // The ticks and microtasks that follow still belong to the step.
  returned() {
    const watch = this.#watch;
    if (watch.hasInner) watch.close(this.#context.readTime());
    watch.depth--;
  }

  // No task starts in this round of a checkpoint drain.
  endRound() {
    this.#watch.close(this.#context.lastTime());
  }

  // The check phase ends.
  endCheck() {
    const watch = this.#watch;
    const now = this.#context.readTime();
    watch.close(now);
    channels.publishWaiting();
    forgetLast();
    if (this.#context === shared.contexts[0] && watch.listeners.length > 0) {
      for (const listener of watch.listeners) listener.turned(now);
      this.#context.askForEndOfCheck();
    }
    if (channels.isWaiting()) this.#context.askForEndOfCheck();
    watch.stopUnlessWatched();
  }

  // Calls the callback of a task that has a message.
  call(task, callback) {
    const { message } = task;
    try {
      return channels.callStarted(message, callback);
    } finally {
      const watch = this.#watch;
      message.endedAt = watch.toMilliseconds(this.#context.readTime());
      watch.publish(channels.end, message);
    }
  }

  // A continuation starts, and settles at once.
  resumed(continuation) {
    const { message } = continuation;
    this.#watch.publish(channels.start, message);
    message.outcome = 'completed';
    this.#settledMessage(message);
  }

  // A task or continuation has settled, or will without further steps.
  settled(entry, outcome, value) {
    const priority = indexOf(this.#context.currentPriorityOf(entry.state));
    for (const statistics of this.#watch.statistics) statistics[outcome][priority]++;
    const { message } = entry;
    if (message === undefined) return;
    entry.message = undefined;
    message.outcome = outcome;
    if (outcome === 'completed') message.result = value;
    else message.error = value;
    this.#settledMessage(message);
  }

  // A continuation without a record of its own was rejected while it waited.
  abortedWaiting(id) {
    const priority = priorityOfRank(this.#ranks[id]);
    for (const statistics of this.#watch.statistics) statistics.aborted[priority]++;
  }

  #settledMessage(message) {
    const watch = this.#watch;
    for (const listener of watch.listeners) listener.settled(message);
    if (message.outcome === 'aborted') watch.publish(channels.aborted, message);
    if (message.outcome === 'failed') watch.publish(channels.error, message);
    if (message.startedAt === undefined) return;
    watch.publish(channels.asyncStart, message);
    watch.publish(channels.asyncEnd, message);
  }

  // Milliseconds since a task that waits with this id was queued.
  age(id, now) {
    const time = this.#times[id];
    return (now - (time === UNKNOWN ? this.#watch.since : time)) / NANOSECONDS_PER_MILLISECOND;
  }
}

// Watches all contexts of a thread.
class Watch {
  // Of the monitors that are enabled; see statistics.js.
  statistics = [];
  // Traces; see trace.js.
  listeners = [];
  // The innermost step, and those around it.
  step = undefined;
  #outer = [];
  // The step that ended last, for the next one.
  #spare = new Step();
  // How many tasks are being called.
  depth = 0;
  lastPost = 0;
  // Since when all tasks are watched.
  since = 0;
  #readTime;
  #origin;
  #isOn = false;

  constructor() {
    [{ readTime: this.#readTime }] = shared.contexts;
    this.#origin = findOrigin(this.#readTime);
  }

  now() {
    return this.#readTime();
  }

  // By the clock of `performance.now()`.
  toMilliseconds(time) {
    return (time - this.#origin) / NANOSECONDS_PER_MILLISECOND;
  }

  // Begins to watch, unless that is so.
  start() {
    if (this.#isOn) return;
    this.#isOn = true;
    this.since = this.now();
    for (const context of shared.contexts) this.join(context);
  }

  // A context was loaded.
  join(context) {
    if (!this.#isOn) return;
    context.observers.watch = new ContextWatch(context, this);
    context.observers.wantsMessages = this.listeners.length > 0;
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
    this.start();
    for (const { askForEndOfCheck, observers } of shared.contexts) {
      observers.wantsMessages = this.listeners.length > 0;
      askForEndOfCheck();
    }
    this.stopUnlessWatched();
  }

  addStatistics(statistics) {
    this.start();
    this.statistics = [...this.statistics, statistics];
    const now = this.now();
    statistics.resume(now);
    // What the step under way has taken up to now.
    statistics.time[this.step?.priority ?? 0] -= this.#spentInStep(now);
  }

  removeStatistics(statistics) {
    const now = this.now();
    statistics.time[this.step?.priority ?? 0] += this.#spentInStep(now);
    statistics.pause(now);
    this.statistics = this.statistics.filter((each) => each !== statistics);
    this.stopUnlessWatched();
  }

  resetStatistics(statistics) {
    const now = this.now();
    statistics.reset(now);
    if (!this.statistics.includes(statistics)) return;
    statistics.time[this.step?.priority ?? 0] -= this.#spentInStep(now);
  }

  // What the innermost step has taken up to now, and is not counted yet.
  #spentInStep(now) {
    return this.step === undefined ? 0 : this.step.spent + now - this.step.resumedAt;
  }

  // Seconds spent in each priority, in other callbacks, and idle.
  timeOf(statistics) {
    const now = this.now();
    const time = Array.from(statistics.time);
    if (this.step !== undefined && this.statistics.includes(statistics)) {
      time[this.step.priority] += this.#spentInStep(now);
    }
    const { elapsed, idle } = statistics.wholeTime(now);
    const other = Math.max(0, elapsed - idle - time[0] - time[1] - time[2]);
    const seconds = (nanoseconds) => nanoseconds / NANOSECONDS_PER_SECOND;
    return {
      'user-blocking': seconds(time[2]),
      'user-visible': seconds(time[1]),
      'background': seconds(time[0]),
      'other': seconds(other),
      'idle': seconds(idle),
    };
  }

  stopUnlessWatched() {
    if (!this.#isOn || this.statistics.length > 0 || this.listeners.length > 0) return;
    if (channels.areSubscribed()) return;
    this.#isOn = false;
    this.step = undefined;
    this.#outer = [];
    for (const { observers } of shared.contexts) observers.watch = undefined;
  }

  // Opens a step. The one under way goes on when this one and what it runs have ended.
  open(now) {
    if (this.step !== undefined) {
      this.step.spent += now - this.step.resumedAt;
      this.#outer.push(this.step);
    }
    const step = this.#spare ?? new Step();
    this.#spare = undefined;
    step.depth = ++this.depth;
    step.spent = 0;
    step.startedAt = now;
    step.resumedAt = now;
    this.step = step;
    return step;
  }

  // Whether the innermost step is not that of the task that is being called.
  get hasInner() {
    return this.step !== undefined && this.step.depth > this.depth;
  }

  // Ends the steps that are not those of tasks that are being called.
  close(now) {
    while (this.hasInner) this.#close(now);
  }

  // A task or continuation has started.
  countStart(priority, isContinuation, now, queuedAt) {
    for (const { delays, completed } of this.statistics) {
      if (queuedAt !== UNKNOWN) delays[priority].record(now - queuedAt);
      if (isContinuation) completed[priority]++;
    }
  }

  #close(now) {
    const { step } = this;
    const { priority, source, message } = step;
    const own = step.spent + now - step.resumedAt;
    const duration = now - step.startedAt;
    this.step = this.#outer.pop();
    if (this.step !== undefined) this.step.resumedAt = now;
    for (const statistics of this.statistics) {
      statistics.time[priority] += own;
      if (!step.isCounted) continue;
      statistics.durations[priority].record(duration);
      if (duration > statistics.threshold) statistics.note(source, PRIORITIES[priority], duration);
    }
    for (const listener of this.listeners) listener.stepped(step, now);
    step.source = undefined;
    step.message = undefined;
    this.#spare = step;
    if (message?.isContinuation) {
      message.endedAt = this.toMilliseconds(now);
      this.publish(channels.end, message);
    }
  }

  publish(channel, message) {
    channels.publish(channel, message);
    if (channels.isWaiting()) for (const each of shared.contexts) each.askForEndOfCheck();
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

module.exports = { PRIORITIES, indexOf, theWatch, watchForSubscribers };

'use strict';

// Follows the tasks and continuations of one context while tasks are watched: when each is posted,
// starts and settles. Called by the event loop and the tasks of the context.

const channels = require('./channels.js');
const { NANOSECONDS_PER_MILLISECOND, timeIn } = require('./clock.js');
const { createMessage, forgetLast, labelOf } = require('./message.js');
const { PRIORITIES, indexOf, indexOfRank, isContinuationRank } = require('./priorities.js');
const { WaitingEntries } = require('./waiting-entries.js');

const { shared } = channels;

// A join() of a shared task: the label of the waiting code, and its scheduling state as a weak
// reference.
class Join {
  #context;
  #state;
  #priority;

  constructor(context, state, id, label, joinedAt) {
    this.#context = context;
    this.#state = state && new WeakRef(state);
    this.#priority = indexOf(context.currentPriorityOf(state));
    this.id = id;
    this.label = label;
    this.joinedAt = joinedAt;
  }

  // The index of the waiting code's priority; the last known one if its state was collected.
  get priority() {
    const state = this.#state?.deref();
    if (state !== undefined) this.#priority = indexOf(this.#context.currentPriorityOf(state));
    return this.#priority;
  }
}

// The index of the default priority, and of the priority of idle callbacks.
const DEFAULT = indexOf('user-visible');
const IDLE = indexOf('background');

class ContextWatch {
  #context;
  #watch;
  #waiting = new WaitingEntries();
  // Whether there were tasks whose messages are created later.
  #hasNoted = false;

  constructor(context, watch) {
    this.#context = context;
    this.#watch = watch;
  }

  // A task, continuation or idle callback was posted.
  queued(id, rank, delay) {
    const watch = this.#watch;
    // A delay counts from the last time that the binding has read.
    const now = delay === 0 ? watch.now() : timeIn(this.#context.words);
    watch.lastPost = now;
    const queuedAt = now + delay * NANOSECONDS_PER_MILLISECOND;
    if (isContinuationRank(rank)) {
      this.#waiting.addContinuation(id, rank, queuedAt, this.#source());
    } else {
      this.#waiting.add(id, queuedAt);
    }
  }

  // The label of the running code, or its callback: of the step under way or, behind an await of a
  // timer or of I/O, of the task whose chain goes on there.
  #source() {
    const { step } = this.#watch;
    if (step !== undefined) return step.source;
    return this.#context.currentTask()?.label;
  }

  // A waiting entry was removed.
  removed(entry, id) {
    this.#waiting.takeSource(id);
    if (lacksMessage(entry)) this.#makeMessage(entry, id);
  }

  // No entry waits any more: a burst of tasks is over.
  emptied() {
    this.#waiting.clear();
  }

  // The last watcher is gone. Create the missing messages now, so that a later watcher still sees
  // these tasks.
  stop() {
    if (!this.#hasNoted) return;
    this.#context.visitWaiting((entry, rank, isDelayed, id) => {
      if (lacksMessage(entry)) this.#makeMessage(entry, id);
    });
  }

  // A task or continuation was posted, and its record is complete.
  posted(entry, delay) {
    const watch = this.#watch;
    const { isContinuation } = entry;
    const task = this.#context.currentTask();
    let label;
    if (isContinuation) {
      label = labelOf(task?.label ?? task?.callback);
      entry.task = task;
    } else {
      label = entry.label ?? labelOf(entry.callback);
      // Code that waits for the posting shared task also waits for this task.
      const run = task?.state?.run;
      if (run !== undefined) entry.postedBy = run;
    }
    const id = ++shared.lastId;
    if (!isContinuation && delay === 0 && this.#mayNote(entry)) {
      entry.label = label;
      entry.messageId = id;
      entry.parentId = task?.messageId || undefined;
      this.#hasNoted = true;
      return;
    }
    const priority = this.#context.currentPriorityOf(entry.state);
    const postedAt = watch.toMilliseconds(watch.lastPost);
    const message = createMessage(
      id, task?.messageId || undefined, priority, isContinuation, label, delay, postedAt);
    entry.message = message;
    if (!isContinuation) {
      entry.label = label;
      entry.messageId = id;
    }
    for (const listener of watch.listeners) listener.posted(message, watch.lastPost, watch.step);
    watch.publish(channels.posted, message);
  }

  // Whether the message about a task can be created when the task starts or is removed: the post is
  // not reported, and no signal changes the priority meanwhile. A message that is created late need
  // not survive garbage collections while the task waits.
  #mayNote({ state }) {
    if (this.#context.observers.wantsMessages || channels.posted.hasSubscribers) return false;
    return this.#context.isFixed(state);
  }

  // Creates the message of a task that was only noted at its post.
  #makeMessage(entry, id) {
    const { label, messageId, parentId } = entry;
    const priority = this.#context.currentPriorityOf(entry.state);
    const postedAt = this.#watch.toMilliseconds(this.#waiting.timeOf(id));
    entry.message = createMessage(messageId, parentId, priority, false, label, 0, postedAt);
  }

  // The previous step ends at the last time that the binding has read, unless its task runs the
  // loop.
  endStep() {
    this.#watch.endStep(timeIn(this.#context.words));
  }

  // A step begins.
  begin(entry, id) {
    const watch = this.#watch;
    const context = this.#context;
    const isBare = typeof entry === 'function';
    const isContinuation = isBare || entry.isContinuation;
    const now = timeIn(this.#context.words);
    const step = watch.open(now, watch.takeEnded());
    watch.depth++;
    if (!isBare && lacksMessage(entry)) this.#makeMessage(entry, id);
    step.isCounted = isContinuation || entry.isTask;
    if (isContinuation) step.source = this.#waiting.takeSource(id);
    else step.source = entry.label ?? entry.callback;
    // A task that has started keeps no callback.
    if (!isContinuation && step.isCounted) entry.label = labelOf(step.source);
    step.entry = entry;
    step.message = isBare ? undefined : entry.message;
    if (isBare) step.priority = indexOfRank(this.#waiting.rankOf(id) || context.rankOfStarted());
    else step.priority = step.isCounted ? this.#priorityOf(entry) : IDLE;
    const queuedAt = this.#waiting.timeOf(id);
    step.queuedAt = queuedAt;
    step.joins = watch.listeners.length > 0 ? joinsOf(entry) : undefined;
    step.fairness = watch.listeners.length > 0 ? entry.state?.flow?.place : undefined;
    context.askForEndOfCheck();
    if (step.message !== undefined) this.#startMessage(step);
    for (const listener of watch.listeners) listener.began?.(step, now);
    if (!step.isCounted) return;
    if (!isBare && queuedAt > 0) entry.state?.flow?.noteWait(now - queuedAt);
    const { priority } = step;
    const all = watch.statistics;
    for (let i = 0; i < all.length; i++) {
      if (queuedAt > 0) all[i].waits[priority].record(now - queuedAt);
      if (isContinuation) all[i].completed[priority]++;
    }
  }

  // Code with this scheduling state is about to join a shared task.
  joined(state) {
    const watch = this.#watch;
    const task = this.#context.currentTask();
    const label = labelOf(task?.label ?? task?.callback);
    const join = new Join(this.#context, state, ++shared.lastId, label, watch.now());
    for (const listener of watch.listeners) listener.joined(join, watch.step);
    return join;
  }

  // The joins of a run of a shared task end. `source` is the label or callback of the run.
  joinsEnd(joins, source, state) {
    const watch = this.#watch;
    const now = watch.now();
    const run = { label: labelOf(source), priority: this.#priorityOf({ state }) };
    for (const listener of watch.listeners) listener.joinsEnd(joins, run, now, watch.step);
  }

  // A continuation does not have this priority of its chain, as its signal has none.
  lostPriority(priority) {
    for (const listener of this.#watch.listeners) listener.lostPriority?.(priority);
  }

  // The index of the current priority of a task or continuation.
  #priorityOf({ state }) {
    return state === undefined ? DEFAULT : indexOf(this.#context.currentPriorityOf(state));
  }

  #startMessage({ message, priority, startedAt }) {
    message.priority = PRIORITIES[priority];
    message.startedAt = this.#watch.toMilliseconds(startedAt);
  }

  // The first function of a step has returned, and so have the tasks that it ran in a nested loop.
  // The ticks and microtasks that follow still belong to the step.
  returned() {
    const watch = this.#watch;
    if (watch.hasInner) watch.close(watch.now());
    watch.depth--;
    for (const listener of watch.listeners) listener.returned?.();
  }

  // Code outside of tasks begins to work for a priority, such as React when it renders a section.
  // This is a step, unless one is under way, to which the time belongs then.
  beginOutside(work, label, priority) {
    const watch = this.#watch;
    if (watch.step !== undefined) return;
    const now = watch.now();
    const step = watch.open(now);
    step.isCounted = true;
    step.priority = indexOf(priority);
    step.source = label;
    step.entry = work;
    for (const listener of watch.listeners) listener.began?.(step, now);
  }

  // That work ends.
  endOutside(work) {
    const watch = this.#watch;
    if (watch.step?.entry !== work) return;
    const now = watch.now();
    watch.close(now);
    for (const listener of watch.listeners) listener.rested?.(now);
  }

  // No task starts in this round of a checkpoint pass.
  endRound() {
    const watch = this.#watch;
    const now = timeIn(this.#context.words);
    watch.close(now);
    if (watch.step !== undefined) return;
    for (const listener of watch.listeners) listener.rested?.(now);
  }

  // The check phase ends.
  endCheck() {
    const watch = this.#watch;
    const now = watch.now();
    watch.close(now);
    channels.publishWaiting();
    forgetLast();
    if (this.#context === watch.home && watch.listeners.length > 0) {
      for (const listener of watch.listeners) listener.turned(now);
      this.#context.askForEndOfCheck();
    }
    // In a nested run of the loop, the step of the outer task has not ended yet.
    if (channels.isWaiting() || watch.step !== undefined) this.#context.askForEndOfCheck();
    watch.stopUnlessWatched();
  }

  // Calls the callback of a task that has a message.
  call(task, callback) {
    const { message } = task;
    const watch = this.#watch;
    // A trace needs only the step.
    if (watch.callers.length === 0 && !channels.areSubscribed()) return callback();
    try {
      if (watch.callers.length > 0) return watch.callByListeners(message, callback);
      return channels.callStarted(message, callback);
    } finally {
      message.endedAt = watch.toMilliseconds(watch.now());
      watch.publish(channels.end, message);
    }
  }

  // A continuation starts and so settles.
  resumed(continuation) {
    const { message } = continuation;
    this.#watch.publish(channels.start, message);
    message.outcome = 'completed';
    this.#settledMessage(message);
  }

  // A task or continuation has settled, or will settle without further steps.
  settled(entry, outcome, value) {
    const priority = this.#priorityOf(entry);
    const all = this.#watch.statistics;
    for (let i = 0; i < all.length; i++) all[i][outcome][priority]++;
    const { message } = entry;
    if (message === undefined) return;
    entry.message = undefined;
    message.outcome = outcome;
    if (outcome === 'completed') message.result = value;
    else message.error = value;
    this.#settledMessage(message);
  }

  // A waiting continuation of this rank without a record was rejected.
  abortedWaiting(rank) {
    const priority = indexOfRank(rank);
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

  // Milliseconds since the oldest entry of a rank was queued. If it was posted before tasks were
  // watched and the binding does not know its time, since watching began.
  ageOfOldest({ oldest, queuedAt }, now) {
    const time = this.#waiting.timeOf(oldest) || Math.max(queuedAt, this.#watch.since);
    return (now - time) / NANOSECONDS_PER_MILLISECOND;
  }
}

// The joins that wait for a step of a shared task, at any priority of the step, or for a step of a
// task that the shared task has posted.
function joinsOf({ task, postedBy, state }) {
  return (state?.run ?? task?.state?.run ?? postedBy ?? task?.postedBy)?.joins;
}

// Whether a waiting entry is a task whose message is still to be created.
function lacksMessage(entry) {
  return entry.message === undefined && entry.messageId > 0;
}

module.exports = { ContextWatch };

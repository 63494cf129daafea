'use strict';

// The runs of shared tasks, and the joins that wait for them. A run is a task with its own
// scheduling state, whose priority is the highest of all waiting joins.
//
// A join() without a signal cannot end early: it returns the promise of the run, and is only
// counted. A join() with a signal has its own promise and record, a Wait.
//
// An aborted run ends by itself. Joins before its end wait for the next run, which is posted at the
// end, as there is one run at a time.

const { abortSource } = require('../signals/abort-source.js');
const { isAbortOf } = require('../signals/aborted.js');
const { HighestPriority } = require('../signals/highest-priority.js');
const { finishRemoval } = require('../loop/event-loop.js');
const { markHandled } = require('./handled.js');
const { Promise } = require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const { clearTimer, now, setTimer } = require('../loop/time.js');
const { postRun } = require('./scheduler.js');
const { AbortableTask } = require('./scheduler-task.js');
const { followingState } = require('./scheduling-state.js');
const { withCode } = require('../webidl/error-code.js');

// The maximum number of runs named in the error of a cycle.
const MOST_NAMES = 8;

// The maximum number of watched joins of a run.
const MOST_WATCHED = 100;

class RunTask extends AbortableTask {
  run;

  constructor(run, resolve, reject) {
    super(run.shared.callback, run.state, resolve, reject);
    this.run = run;
  }

  start() {
    this.run.start();
    super.start();
  }

  settle(outcome, value) {
    const { run } = this;
    this.run = undefined;
    super.settle(outcome === 'failed' && run.isAbort(value) ? 'aborted' : outcome, value);
    run.end(outcome === 'completed', value);
  }

  discard(reason) {
    if (this.run !== undefined) this.run.isDiscarded = true;
    super.discard(reason);
  }
}

// A join() with a signal, which can end it.
class Wait {
  // Set by the abort source.
  previous = undefined;
  next = undefined;
  // The run, and the values that this join has added to it.
  run = undefined;
  source = undefined;
  asker = undefined;
  request = undefined;
  // The record of watch/, if tasks are watched.
  watched = undefined;
  promise;
  #abortSource;
  #resolve;
  #reject;

  constructor(signal) {
    this.#abortSource = abortSource(signal);
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  // Returns false if the signal was aborted meanwhile. A foreign signal can throw.
  listen() {
    return this.#abortSource.add(this);
  }

  abort(reason) {
    this.#reject(reason);
    const { run } = this;
    this.run = undefined;
    run?.leave(this);
  }

  end() {
    this.run = undefined;
    this.#abortSource.delete(this);
  }

  settle(isFulfilled, value, isHandled) {
    this.end();
    if (isHandled) markHandled(this.promise);
    if (isFulfilled) this.#resolve(value);
    else this.#reject(value);
  }
}

class Run {
  shared;
  state;
  // Returned by joins without a signal.
  promise;
  // The number of waiting joins.
  joined = 0;
  #isStarted = false;
  // Its signal was aborted, as no join waits any more.
  isAborted = false;
  // drain() has rejected the run. The rejection counts as handled.
  isDiscarded = false;
  isOver = false;
  // The watched joins, if tasks are watched.
  joins = undefined;
  // The run that is posted at the end of this one, and the run before this one.
  next = undefined;
  #before = undefined;
  #task;
  #priorities;
  #isGiven = false;
  #waits = new Set();
  // The number of joins from the code of each other run, and from each Request.
  #askers = undefined;
  #requests = undefined;
  // The number of joins from its own code.
  #asked = 0;
  // Those of the requests that counted their waits when they joined, as each continuation needs
  // one that still does.
  #patient = undefined;
  // The time when the run becomes user-visible, as the `maxWait` of a joining task has passed.
  #deadline = Infinity;
  #timer = undefined;

  // The run has the AsyncLocalStorage values of the caller.
  constructor(shared) {
    this.shared = shared;
    this.#priorities = new HighestPriority(shared.priority);
    const { signal } = this.#priorities;
    this.state = followingState(undefined, signal);
    this.state.run = this;
    if (shared.abortWhenUnused) this.state.client = signal;
    this.promise = new Promise((resolve, reject) => {
      this.#task = new RunTask(this, resolve, reject);
    });
    this.#task.promise = this.promise;
    if (shared.label !== undefined) this.#task.label = shared.label;
  }

  get priority() {
    return this.#priorities.priority;
  }

  // The label or the callback of its tasks.
  get #label() {
    return this.shared.label ?? this.shared.callback;
  }

  // Posts the run. If that fails, the joins are rejected.
  begin() {
    this.shared.run = this;
    this.#before = undefined;
    try {
      const refusal = postRun(this.#task);
      if (refusal !== undefined) this.#refuse(refusal);
    } catch (error) {
      this.#fail(error);
    }
  }

  // Called before the callback. From then on only the result keeps the task alive: if the result is
  // collected unsettled, the task no longer counts for onIdle().
  start() {
    this.#isStarted = true;
    this.#task = undefined;
  }

  // Posts this run at the end of an aborted run. Until then, the aborted run has at least the
  // priority of this one.
  beginAfter(before) {
    before.next = this;
    this.#before = before;
    before.#addAsker(this);
    before.#add(this.#priorities.slots);
  }

  // Adds a join() with the source of its priority (see HighestPriority), the run of the calling
  // code, if known, the Wait, if the join has a signal, and the scheduling state of the calling
  // code. Returns its promise.
  join(source, asker, wait, state) {
    const { promise } = wait ?? this;
    this.#charge(state?.flow);
    const request = state?.request?.isRunning ? state.request : undefined;
    this.joined++;
    if (asker !== undefined) this.#addAsker(asker);
    if (request !== undefined) this.#requests = increment(this.#requests, request);
    if (request?.isPatient) (this.#patient ??= new Set()).add(request);
    if (state?.maxWait !== undefined) this.#boundBy(state.maxWait);
    if (wait === undefined) {
      this.#isGiven = true;
    } else {
      wait.run = this;
      wait.source = source;
      wait.asker = asker;
      wait.request = request;
      this.#waits.add(wait);
    }
    // Last, as a listener can end the run.
    this.#add(source);
    return promise;
  }

  // Charges the time of the run to the flow of the first join(), or to the work without one. The
  // run goes where the best of the flows would that wait for it. Without any, it has none itself.
  #charge(flow) {
    if (this.state.flow === undefined) {
      if (flow === undefined) return;
      this.state.flow = flow.ofRun(this.joined > 0);
      this.state.flow.watch();
    }
    if (this.joined > 0) this.state.flow.join(flow);
  }

  // Reports the join() that is about to be added to the watchers of tasks.
  watchJoin(state, wait) {
    const joins = this.joins ??= [];
    const join = observers.watch.joined(state);
    if (wait !== undefined) wait.watched = join;
    if (joins.length < MOST_WATCHED) {
      joins.push(join);
      return;
    }
    const less = joins.findIndex(({ priority }) => priority < join.priority);
    if (less >= 0) joins[less] = join;
  }

  // Whether a started request waits for this run, or for a run that waits for this run.
  get isOfRequest() {
    const runs = new Set([this]);
    for (const run of runs) {
      for (const request of run.#requests?.keys() ?? []) if (request.isRunning) return true;
      for (const asker of run.#askers?.keys() ?? []) runs.add(asker);
    }
    return false;
  }

  // A waiting request that still counts the waits of its entries.
  get patientRequest() {
    for (const request of this.#patient ?? []) {
      if (request.isPatient && this.#requests?.has(request)) return request;
      this.#patient.delete(request);
    }
    return undefined;
  }

  // A task with this `maxWait` waits for the run.
  #boundBy(maxWait) {
    const deadline = now() + maxWait;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    clearTimer(this.#timer);
    this.#timer = setTimer(() => this.#add('user-visible'), maxWait).unref();
  }

  leave(wait) {
    // A listener of the run's end can end the join.
    if (this.isOver) return;
    this.#waits.delete(wait);
    const { watched } = wait;
    if (watched !== undefined) this.joins = this.joins?.filter((each) => each !== watched);
    this.joined--;
    if (wait.asker !== undefined) this.#deleteAsker(wait.asker);
    if (wait.request !== undefined) decrement(this.#requests, wait.request);
    this.#delete(wait.source);
    // After a lowered priority, drain() may have rejected the run.
    if (this.isOver || this.joined > 0) return;
    if (this.shared.abortWhenUnused) this.#abort();
  }

  // Whether an error is the abort of the run.
  isAbort(error) {
    return this.isAborted && isAbortOf(this.#priorities.signal, error);
  }

  // The promise of its task has settled, or will settle without further steps.
  end(isFulfilled, value) {
    const { isDiscarded, next, promise, shared } = this;
    const waits = this.#waits;
    if (this.joins !== undefined) observers.watch?.joinsEnd(this.joins, this.#label, this.state);
    this.joins = undefined;
    this.isOver = true;
    shared.run = undefined;
    // Timers that the run has started may keep its state.
    this.shared = undefined;
    this.next = undefined;
    this.promise = undefined;
    this.#task = undefined;
    for (const [asker, count] of this.#askers ?? []) asker.#asked -= count;
    this.#askers = undefined;
    this.#requests = undefined;
    this.#patient = undefined;
    clearTimer(this.#timer);
    this.#waits = new Set();
    if (isDiscarded || !this.#isGiven) markHandled(promise);
    // Comes before code of the application, which can call join().
    if (isDiscarded) next?.#refuse(value);
    else next?.begin();
    this.#priorities.end();
    this.state.flow?.end(isFulfilled);
    for (const wait of waits) wait.settle(isFulfilled, value, isDiscarded);
  }

  // Throws if this run waits for `asker`, which would then wait for itself.
  checkAsker(asker) {
    // Thousands of runs may wait for the asker.
    if (this !== asker && this.#asked === 0) return;
    const path = pathTo(this, asker, (run) => run.#askers);
    if (path === undefined) return;
    const names = path.map(({ shared }) => shared.name);
    if (names.length > MOST_NAMES) names.splice(MOST_NAMES / 2, names.length - MOST_NAMES, '…');
    const error = new Error(
      `Failed to execute 'join' on 'SharedTask': the run of ${names[0]} would wait for itself ` +
        `(${names.join(' → ')}).`,
    );
    throw withCode(error, 'ERR_UV_SCHEDULER_CYCLE');
  }

  #refuse(reason) {
    this.isDiscarded = true;
    this.#fail(reason);
  }

  // Rejects the run before it was posted.
  #fail(reason) {
    this.#task.reject(reason);
    this.end(false, reason);
  }

  // No join waits any more.
  #abort() {
    const before = this.#before;
    if (before !== undefined) {
      this.isOver = true;
      before.next = undefined;
      before.#deleteAsker(this);
      before.#delete(this.#priorities.slots);
      return;
    }
    const reason = new DOMException('No join() waits for the shared task any more', 'AbortError');
    if (this.#isStarted) {
      this.isAborted = true;
      this.#priorities.controller.abort(reason);
    } else {
      this.#task.abort(reason);
      finishRemoval();
    }
  }

  #add(source) {
    this.#priorities.add(this.#isOwn(source) ? this.shared.priority : source);
  }

  #delete(source) {
    this.#priorities.delete(this.#isOwn(source) ? this.shared.priority : source);
  }

  // A run does not raise itself.
  #isOwn(source) {
    return source === this.#priorities.slots;
  }

  #addAsker(run) {
    this.#askers = increment(this.#askers, run);
    run.#asked++;
  }

  #deleteAsker(run) {
    decrement(this.#askers, run);
    run.#asked--;
  }
}

// Counts a key in a Map, which is created for the first key. Returns the Map.
function increment(counts = new Map(), key) {
  return counts.set(key, (counts.get(key) ?? 0) + 1);
}

function decrement(counts, key) {
  const count = counts.get(key) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

// The runs from `asker` through `target` back to `asker`, each of which waits for the next one;
// undefined if `target` does not wait for `asker`.
function pathTo(target, asker, askersOf) {
  // Each run that waits, directly or not, for `asker`, and the run for which it waits itself.
  const waitsFor = new Map([[asker, undefined]]);
  for (const run of waitsFor.keys()) {
    if (run === target) break;
    for (const other of askersOf(run)?.keys() ?? []) {
      if (!waitsFor.has(other)) waitsFor.set(other, run);
    }
  }
  if (!waitsFor.has(target)) return undefined;
  const path = [asker];
  for (let run = target; run !== undefined; run = waitsFor.get(run)) path.push(run);
  return path;
}

module.exports = { Run, Wait };

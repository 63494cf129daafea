'use strict';

// Finds callbacks that block the thread for long and tasks that wait for long, and reports them: a
// callback once its stacks are known, and a wait once the work that blocked the thread meanwhile is
// known. Times are in nanoseconds, in reports in milliseconds.
//
// If a callback is known to have been slow when it returns, a tick right behind it makes the
// report, as the span of its request is still open then. The rest of its ticks and microtasks
// counts as another callback.
//
// Non-task callbacks run between steps. Without stacks we can't tell them apart, so they count as
// one, up to the end of the check phase.

const { TaskResource } = require('../../loop/platform.js');
const { clearTurn, idleTime, setRepeated, setTurn } = require('../../loop/time.js');
const { garbageCollection } = require('../../loading/undocumented.js');
const { shared } = require('../channels.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');
const { labelOf } = require('../message.js');
const { PRIORITIES } = require('../priorities.js');
const { theWatch } = require('../watch.js');
const { Chains } = require('./chains.js');
const { Garbage } = require('./garbage.js');
const { History } = require('./history.js');
const { isOurs, placeOfCaller } = require('./places.js');
const { Profiler, intervalFor } = require('./profiler.js');
const { StackSamples, canSample } = require('./stack-samples.js');
const { StuckWatch } = require('./stuck.js');

// In a gap between two steps below this, idle time of the loop is not checked.
const SHORT = 20_000;

// The first chapters of the history span this part of the shortest reported wait.
const RESOLUTION = 0.01;

// The least time in ms between two reads of stacks while callbacks wait for them, and otherwise;
// and the maximum number of waiting callbacks. The thread may end soon, so the first read comes at
// the end of the turn. A turn of many short callbacks also waits for stacks: behind a read that has
// found no slow one the time is a second, and then each time twice as long.
const SOON = 100;
const SECOND = 1000;
const ROTATION = 10_000;
const MOST_WAITING = 1000;

// The maximum number of spans that wait for their garbage collections, and of labels in a
// generation of Culprits.
const MOST_SPANS = 10_000;
const MOST_LABELS = 1000;

// The maximum number of places that have lost a priority.
const MOST_PLACES = 1000;

// A program may replace it.
const { nextTick } = process;

// Of a turn under way, collections are not known yet.
const NO_GARBAGE = { timeIn: () => 0 };

// The maximum number of joins in a report.
const MOST_AWAITING = 10;

// Culprits: the work that blocks the thread. Tasks and their continuations have a culprit for each
// label and priority.
const OTHER = { kind: 'other', label: '', priority: undefined };
const IDLE_CALLBACK = { kind: 'idle-callback', label: '', priority: undefined };
const GARBAGE = { kind: 'garbage-collection', label: '', priority: undefined };
const IDLE = { kind: 'idle', label: '', priority: undefined };
// The part of a wait before the reports began.
const UNKNOWN = { kind: 'unknown', label: '', priority: undefined };

class Culprits {
  // By label: a culprit for each priority. When there are many labels, unused ones are forgotten;
  // the culprits of the others stay the same objects.
  #tasks = new Map();
  #before = new Map();

  of({ isCounted, source, priority }) {
    if (!isCounted) return IDLE_CALLBACK;
    const label = labelOf(source);
    let culprits = this.#tasks.get(label);
    if (culprits === undefined) {
      culprits = this.#before.get(label) ??
        PRIORITIES.map((each) => ({ kind: 'task', label, priority: each }));
      if (this.#tasks.size >= MOST_LABELS) {
        this.#before = this.#tasks;
        this.#tasks = new Map();
      }
      this.#tasks.set(label, culprits);
    }
    return culprits[priority];
  }
}

// The reported data of a step. A copy, as Step objects are reused.
class SlowStep {
  constructor({ entry, isCounted, message, priority, source, startedAt }) {
    const isContinuation = typeof entry === 'function' || entry.isContinuation;
    const kind = isContinuation ? 'continuation' : 'task';
    this.kind = isCounted ? kind : 'idle-callback';
    this.label = labelOf(source);
    this.priority = PRIORITIES[priority];
    this.message = message;
    this.startedAt = startedAt;
    // The task that it belongs to.
    this.resource = isContinuation ? entry.task : entry;
  }
}

class SlowTasks {
  // Undefined, as reports do not call the callbacks of tasks.
  call = undefined;
  needsMessages;
  #watch = theWatch();
  #report;
  #isPrompt;
  // Gets the reports of ticks instead, if those of `report` have to be complete.
  #reportSoon;
  #duration;
  #wait;
  #culprits = new Culprits();
  // The period whose culprits are known, and the idle time of the loop at its end.
  #knownFrom = this.#watch.now();
  #knownUntil = this.#knownFrom;
  #idle = idleTime();
  // The time when the reports began: a callback under way counts from then.
  #since;
  // Undefined if waits are not reported.
  #history;
  #chains;
  #garbage;
  // Spans of time, and waits, in order: of this turn of the loop, and of the previous one. The
  // garbage collections of the previous turn are known when the next immediates run.
  #spans = [];
  #settling = [];
  #waits = 0;
  // One of both, or none without stacks: stacks that V8 samples all the time, or another thread
  // while something blocks this one.
  #profiler;
  #samples;
  // V8's profiler tells garbage collections itself.
  #collections;
  #endLooks;
  #readAt = -Infinity;
  #interval = SOON;
  // Undefined without `stuckAfter`.
  #stuck;
  // Of continuations outside of tasks, by message.
  #resources = new WeakMap();
  // Callbacks whose stacks are not known yet, and complete reports.
  #slow = [];
  // The periods of this turn that ticks have reported.
  #told = [];
  #ready = [];
  #turn;
  // The places in the code that were reported because continuations have lost a priority there.
  #places = new Set();
  #isEnded = false;

  // `duration`, `wait` and `stuckAfter` are in milliseconds, and can be Infinity. Without messages
  // the reports have no ids. Prompt reports are made in the check phase: `report` must not throw.
  // With `reportSoon`, `report` still gets all callbacks, with garbage collections. An entry that
  // `reportSoon` got before has `isTold`.
  constructor(options, report) {
    const { duration, wait, stacks, stuckAfter, needsMessages = true, isPrompt = false } = options;
    const { readRequest, reportSoon } = options;
    this.needsMessages = needsMessages;
    this.#isPrompt = isPrompt;
    this.#reportSoon = reportSoon;
    this.#report = report;
    // A callback that was reported while it was under way is reported again when it has ended.
    this.#duration = Math.min(duration, stuckAfter) * NANOSECONDS_PER_MILLISECOND;
    this.#wait = wait * NANOSECONDS_PER_MILLISECOND;
    if (stacks === true && canSample()) {
      this.#samples = new StackSamples(readRequest, (id) => this.#tellSoon(id));
      this.#collections = new Garbage(this.#watch.origin);
    } else if (stacks) {
      this.#profiler = new Profiler(intervalFor(duration), () => this.#watch.now(),
        (profile, now) => this.#readStacks(profile, now));
      this.#endLooks = setRepeated(() => this.#lookAtStacks(SECOND / 2), SECOND);
    }
    if (wait < Infinity) {
      this.#history = new History(this.#wait * RESOLUTION);
      this.#chains = new Chains(this.#wait, this.#wait * RESOLUTION);
      this.#garbage = new Garbage(this.#watch.origin);
    }
    if (stuckAfter < Infinity) {
      this.#stuck = new StuckWatch(stuckAfter, () => this.#describeUnderWay());
    }
    this.#pass();
    this.#since = this.#knownUntil;
    this.#watch.addListener(this);
  }

  // A continuation outside of tasks has no resource that keeps the async context of its code.
  posted(message) {
    if (!message.isContinuation || message.parentId !== undefined) return;
    this.#resources.set(message, new TaskResource('uv-scheduler'));
  }

  settled() {}

  joined() {}

  joinsEnd() {}

  // A step has ended.
  stepped(step, now) {
    const start = Math.max(step.startedAt, this.#since);
    this.#fill(start, step.outer);
    const { message, queuedAt } = step;
    if (message !== undefined) this.#noteWait(step, this.#timeOf(message.queuedAt));
    // An entry has no message if it was posted while only monitors watched.
    else if (step.isCounted && queuedAt > 0) this.#noteWait(step, queuedAt);
    this.#chains?.add(step, this.#knownUntil, now);
    this.#add(step, this.#knownUntil, now, 0);
    const from = this.#afterTold(start, now);
    const time = now - from;
    if (time <= this.#duration) return;
    this.#slow.push({ step: this.#copy(step), start: from, end: now, time });
    // A step behind the check phase is not followed by another one while the loop sleeps.
    if (this.#profiler === undefined) this.#tellLater();
  }

  // The callback of a step has returned. Its ticks and microtasks follow.
  returned() {
    if (this.#profiler !== undefined || this.#duration === Infinity) return;
    const { step } = this.#watch;
    if (step === undefined || this.#watch.now() - step.startedAt <= this.#duration) return;
    nextTick(() => this.#tellSoon());
  }

  // A tick behind a callback that may have been slow. Without a step, it is the one with this id.
  #tellSoon(id) {
    if (this.#isEnded) return;
    const now = this.#watch.now();
    const { step } = this.#watch;
    const stacks = this.#samples?.peek();
    const spans = step === undefined ? this.#callbacksOf(id, stacks, now) : [step.startedAt];
    for (const begin of spans) {
      const start = Math.max(begin, this.#since, this.#told.at(-1)?.end ?? 0);
      if (now - start <= this.#duration) continue;
      const each = { step: step && this.#copy(step), start, end: now, time: now - start };
      const functions = stacks && this.#stacksOf(stacks, each, NO_GARBAGE);
      const { resource, entry } = this.#entryOf(each, functions);
      const told = { start, end: now };
      this.#told.push(told);
      try {
        inContext(resource, this.#reportSoon ?? this.#report, entry);
      } finally {
        if (this.#reportSoon === undefined) told.end = this.#watch.now();
      }
    }
  }

  // The begins of the callbacks with this id that are no tasks.
  #callbacksOf(id, stacks, now) {
    const slept = idleTime() - this.#idle;
    return stacks.callbacksIn(this.#knownUntil, now, slept).filter((each) => each.id === id)
      .map(({ start }) => start).slice(-1);
  }

  // The start of the part of a callback that no tick has reported.
  #afterTold(start, end) {
    if (this.#reportSoon !== undefined) return start;
    return Math.max(start, ...this.#toldIn(start, end).map((each) => each.end));
  }

  #toldIn(start, end) {
    return this.#told.filter((each) => each.start < end && each.end > start);
  }

  #copy(step) {
    const copy = new SlowStep(step);
    copy.resource ??= this.#resources.get(copy.message);
    return copy;
  }

  #timeOf(milliseconds) {
    return this.#watch.origin + milliseconds * NANOSECONDS_PER_MILLISECOND;
  }

  #noteWait(step, queuedAt) {
    // The wait was over when the reports began.
    if (step.startedAt <= this.#since) return;
    if (step.startedAt - queuedAt <= this.#wait) return;
    this.#waits++;
    const more = { ...this.#awaiting(step), ...this.#hint(step, queuedAt) };
    this.#spans.push({ culprit: undefined, step: this.#copy(step), start: queuedAt, more });
  }

  // The joins that wait for a step of a shared task, if any, in the form of the report.
  #awaiting({ joins, startedAt }) {
    const before = joins?.filter(({ joinedAt }) => joinedAt <= startedAt) ?? [];
    if (before.length === 0) return {};
    const all = before.map(({ label, priority, joinedAt }) => ({ label, priority, joinedAt }));
    all.sort((one, other) => other.priority - one.priority || one.joinedAt - other.joinedAt);
    const awaitedBy = all.slice(0, MOST_AWAITING).map(({ label, priority, joinedAt }) => ({
      label,
      priority: PRIORITIES[priority],
      awaitedFor: (startedAt - joinedAt) / NANOSECONDS_PER_MILLISECOND,
    }));
    return { awaitedBy };
  }

  // The option that would have shortened the wait, in the form of the report.
  #hint(step, queuedAt) {
    return this.#chains.delayed(step, queuedAt) ? { hint: 'fairnessKey' } : {};
  }

  // The check phase ends.
  turned(now) {
    this.#stuck?.turned();
    this.#fill(now, this.#watch.step);
    this.#fold();
    this.#settling = this.#spans;
    this.#spans = [];
    const isFull = this.#slow.length >= MOST_WAITING;
    const canDescribe = this.#slow.length > 0 && (this.#profiler === undefined || isFull);
    if (this.#profiler !== undefined && this.#slow.length > 0) this.#lookAtStacks();
    if (this.#samples !== undefined) this.#readSamples(now);
    this.#told = [];
    if (this.#isPrompt) this.#tellAll();
    if (this.#waits > 0 || this.#ready.length > 0 || canDescribe) this.#tellLater();
  }

  // The garbage collections up to the last immediates of Node are known, which run before.
  #readSamples(now) {
    this.#samples.turned(now, this.#idle);
    if (this.#slow.length > 0) this.#describeCallbacks(this.#samples.take());
    else this.#samples.clear();
  }

  // A continuation lost this priority. Reported once for each place in the program.
  lostPriority(inherited) {
    const place = placeOfCaller();
    if (place === undefined || this.#places.has(place) || this.#places.size >= MOST_PLACES) return;
    this.#places.add(place);
    const entry = { type: 'priority', place, inherited, priority: 'user-visible' };
    this.#ready.push({ resource: undefined, entry });
    this.#tellLater();
  }

  // Accounts for the time from `#knownUntil` to `until`: that of the interrupted step, if there is
  // one, and otherwise of callbacks that are no tasks.
  #fill(until, interrupted) {
    const start = this.#knownUntil;
    const all = until - start;
    if (all <= 0) return;
    const idle = all > SHORT ? Math.min(all, this.#idleSince()) : 0;
    // A loop that waits has time for reads. Most of that wait may count as a callback, as a sample
    // interrupts it, and the read is then in vain.
    if (idle > SHORT) this.#interval = SOON;
    this.#add(interrupted, start, until, idle);
    if (interrupted !== undefined) return;
    const time = all - idle;
    if (time > this.#duration) this.#slow.push({ step: undefined, start, end: until, time });
  }

  // The idle time of the loop since the last call.
  #idleSince() {
    const before = this.#idle;
    this.#idle = idleTime();
    return this.#idle - before;
  }

  // The time up to now belongs to other callbacks, and is not reported.
  #pass() {
    this.#add(undefined, this.#knownUntil, this.#watch.now(), 0);
  }

  // Adds a period of a step or, without one, of other callbacks.
  #add(step, start, end, idle) {
    if (end <= start) return;
    this.#knownUntil = end;
    if (this.#history === undefined) return;
    const culprit = step === undefined ? OTHER : this.#culprits.of(step);
    const last = this.#spans.at(-1);
    if (last?.culprit === culprit && last.end === start && last.idle === 0 && idle === 0) {
      last.end = end;
      return;
    }
    this.#spans.push({ culprit, start, end, idle });
    if (this.#spans.length > MOST_SPANS) this.#foldAll();
  }

  // Adds the previous turn to the history, and finds the culprits of the waits that ended in it.
  #fold() {
    const spans = this.#settling;
    this.#settling = [];
    for (const span of spans) {
      if (span.culprit === undefined) this.#describeWait(span);
      else this.#remember(span);
    }
  }

  #foldAll() {
    this.#fold();
    this.#settling = this.#spans;
    this.#spans = [];
    this.#fold();
  }

  #remember({ culprit, start, end, idle }) {
    const garbage = Math.min(this.#garbage.timeIn(start, end), end - start - idle);
    const rest = end - start - idle - garbage;
    this.#history.add(start, end, [[culprit, rest], [GARBAGE, garbage], [IDLE, idle]]);
  }

  #describeWait({ step, start, more }) {
    this.#waits--;
    const wait = step.startedAt - start;
    const times = [...this.#history.read(start, step.startedAt)];
    const unknown = this.#knownFrom - start;
    if (unknown > 0) times.push([UNKNOWN, unknown]);
    times.sort(([, one], [, other]) => other - one);
    const waitedFor = times.map(([culprit, time]) => ({
      ...culprit,
      time: time / NANOSECONDS_PER_MILLISECOND,
      share: time / wait,
    }));
    this.#ready.push({
      resource: step.resource,
      entry: {
        type: 'wait',
        ...whoseEntry(step),
        id: step.message?.id ?? ++shared.lastId,
        queuedAt: step.message?.queuedAt ?? this.#watch.toMilliseconds(start),
        startedAt: this.#watch.toMilliseconds(step.startedAt),
        wait: wait / NANOSECONDS_PER_MILLISECOND,
        waitedFor,
        ...more,
      },
    });
  }

  #describeUnderWay() {
    const { step } = this.#watch;
    const { kind, label, priority } = step?.entry === undefined ? OTHER : new SlowStep(step);
    return { kind, label, priority };
  }

  #describeCallback(callback, stacks) {
    const { start, end } = callback;
    const isTold = this.#reportSoon !== undefined && this.#toldIn(start, end).length > 0;
    this.#ready.push(this.#entryOf(callback, isTold ? { ...stacks, isTold } : stacks));
  }

  #entryOf({ step, start, end, time }, more) {
    return {
      resource: step?.resource,
      entry: {
        type: 'duration',
        ...whoseEntry(step),
        startedAt: this.#watch.toMilliseconds(start),
        duration: time / NANOSECONDS_PER_MILLISECOND,
        ...more,
        ...this.#stuck?.reportsIn(start, end),
      },
    };
  }

  // Reads the samples if that is due, or will be in this time in ms.
  #lookAtStacks(early = 0) {
    const now = this.#watch.now();
    this.#fill(now, this.#watch.step);
    const elapsed = (now - this.#readAt) / NANOSECONDS_PER_MILLISECOND + early;
    if (elapsed >= this.#intervalOfReads()) this.#readStacks(this.#profiler.rotate(), now);
  }

  // The least time in ms between two reads, by what waits for them.
  #intervalOfReads() {
    if (this.#slow.some(({ step }) => step !== undefined)) return SOON;
    return this.#slow.length > 0 ? this.#interval : ROTATION;
  }

  // This profile was read at this time.
  #readStacks(profile, now) {
    this.#fill(now, this.#watch.step);
    this.#readAt = now;
    const [waiting, reports] = [this.#slow.length, this.#ready.length];
    this.#describeCallbacks(profile);
    const isInVain = waiting > 0 && this.#ready.length === reports;
    this.#interval = isInVain ? Math.min(Math.max(SECOND, 2 * this.#interval), ROTATION) : SOON;
    this.#pass();
    if (this.#ready.length > 0) this.#tellLater();
  }

  // If `profile` is undefined, there are no stacks.
  #describeCallbacks(profile) {
    const slow = this.#slow;
    this.#slow = [];
    for (const each of slow) {
      if (profile === undefined) this.#describeCallback(each, undefined);
      else if (each.step === undefined) this.#describeOthers(profile, each);
      else this.#describeCallback(each, this.#stacksOf(profile, each));
    }
  }

  // Stacks show which of the non-task callbacks were slow, if any.
  #describeOthers(profile, { start, end, time: busy }) {
    for (const each of profile.callbacksIn(start, end, end - start - busy)) {
      const { end: until } = each;
      const from = this.#afterTold(each.start, until);
      const time = until - from;
      if (time <= this.#duration) continue;
      const stacks = this.#functionsIn(profile, from, until);
      this.#describeCallback({ start: from, end: until, time }, stacks);
    }
  }

  // The functions of a task, without the callers of its callback, which are the same for all tasks.
  #stacksOf(profile, { step, start, end }, known = this.#collections) {
    const { stack, ...rest } = this.#functionsIn(profile, start, end, known);
    if (step === undefined) return { ...rest, stack };
    // A function of the addon calls that of a check pass, which calls those of its tasks.
    const outermost = stack.findLastIndex(({ scriptName }, index) =>
      !isOurs(scriptName === '' ? stack[index - 1]?.scriptName ?? '' : scriptName));
    return { ...rest, stack: stack.slice(0, outermost + 1) };
  }

  #functionsIn(profile, start, end, known = this.#collections) {
    const { functions, stack, requests } = profile.functionsIn(start, end);
    const garbage = Math.min(known?.timeIn(start, end) ?? 0, end - start);
    const more = requests === undefined ? { stack } : { stack, requests };
    if (garbage < NANOSECONDS_PER_MILLISECOND) return { functions, ...more };
    for (const each of new Set([...functions, ...stack])) {
      each.self *= 1 - garbage / (end - start);
      each.total *= 1 - garbage / (end - start);
    }
    const collections = garbageCollection(garbage / NANOSECONDS_PER_MILLISECOND);
    return { functions: [...functions, collections].sort((a, b) => b.self - a.self), ...more };
  }

  #tellLater() {
    this.#turn ??= setTurn(() => this.#tell());
  }

  // The garbage collections up to the last check phase are known now.
  #tell() {
    this.#turn = undefined;
    this.#fill(this.#watch.now(), this.#watch.step);
    this.#fold();
    if (this.#profiler === undefined) this.#describeCallbacks(this.#samples?.take());
    else if (this.#slow.length >= MOST_WAITING) this.#describeCallbacks(this.#profiler.rotate());
    try {
      this.#tellAll();
    } finally {
      this.#pass();
      if (this.#ready.length > 0) this.#tellLater();
    }
  }

  // Calls `report` with the AsyncLocalStorage values of the reported task.
  #tellAll() {
    while (this.#ready.length > 0) {
      const { resource, entry } = this.#ready.shift();
      inContext(resource, this.#report, entry);
    }
  }

  // The thread ends: makes all remaining reports, even if some of them throw.
  exit() {
    this.#watch.endFor(this);
    this.#fill(this.#watch.now(), undefined);
    const profile = this.#end();
    this.#foldAll();
    this.#describeCallbacks(profile);
    this.#stopWatchingGarbage();
    const tell = () => {
      try {
        this.#tellAll();
      } finally {
        if (this.#ready.length > 0) tell();
      }
    };
    tell();
  }

  // Makes no further reports, even during exit().
  stop() {
    this.#slow = [];
    this.#ready = [];
    clearTurn(this.#turn);
    this.#end();
    this.#stuck?.stop();
    this.#stopWatchingGarbage();
  }

  #stopWatchingGarbage() {
    this.#garbage?.stop();
    this.#collections?.stop();
  }

  // Returns the last profile, if there is a profiler.
  #end() {
    if (this.#isEnded) return undefined;
    this.#isEnded = true;
    this.#watch.removeListener(this);
    this.#endLooks?.();
    return this.#profiler?.stop() ?? this.#samples?.stop();
  }
}

function inContext(resource, report, entry) {
  if (typeof resource?.runInAsyncScope !== 'function') report(entry);
  else resource.runInAsyncScope(report, undefined, entry);
}

// The identity of the reported callback. Without a step, it was outside of tasks.
function whoseEntry({ kind, label, priority, message } = OTHER) {
  return { kind, label, priority, id: message?.id, parentId: message?.parentId };
}

module.exports = { SlowTasks };

'use strict';

// traceTasks(): writes a Chrome trace of the tasks of this thread, for Perfetto and Chromium's
// DevTools.
// Source: the Trace Event Format. The array needs no end, so viewers also open an unfinished file.

const { isMainThread, threadId } = require('node:worker_threads');
const { withCode } = require('../webidl/error-code.js');
const webidl = require('../webidl/conversions.js');
const { contexts, shared } = require('./channels.js');
const { idleTime } = require('../loop/time.js');
const { ownName, resolveName } = require('./file-name.js');
const { HoldSlices } = require('./hold-slices.js');
const { labelOf } = require('./message.js');
const { PRIORITIES, queuedRanks } = require('./priorities.js');
const { TraceFile, bytes, eventBytes, quoted } = require('./trace-file.js');
const { theWatch } = require('./watch.js');

const OPERATION = "'traceTasks'";
const FILE = new webidl.Parameter(OPERATION, 'the argument file');
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const MEMBERS = { signal: webidl.toAbortSignal };

// The longest that events may wait to be written, in nanoseconds.
const LONGEST_WAIT = 1e9;

// The step under way is written when it starts, as a process that hangs in it and is killed writes
// nothing more. Such writes may take one part of this many of the time. The part of this long, in
// nanoseconds, can be saved for bursts of tasks. Half of it is kept for labels that the burst did
// not show yet, and a quarter if the file shows no step.
const PARTS = 50;
const MOST_SAVED = 5e7;
const KEPT = MOST_SAVED / 2;

// The maximum number of labels that a burst can show.
const MOST_SHOWN = 1000;

// The maximum number of encoded names kept for each lane.
const MOST_NAMES = 1000;

// The lanes, from the top: their thread numbers in the trace are successive. The last lane appears
// only if background work was held.
const LANES = ['event loop', 'user-blocking', 'user-visible', 'background', 'held'];

const ARROW_START = '"s","name":"post","cat":"post","id":';
const ARROW_END = '"f","bp":"e","name":"post","cat":"post","id":';

// Arrows from a join() to the shared task, and from its end to the tasks that waited.
const JOIN_START = '"s","name":"join","cat":"join","id":';
const JOIN_END = '"f","bp":"e","name":"join","cat":"join","id":';

// A lane, with the encoded start of each kind of event up to the first number, also for events that
// directly follow another event of the lane. Each thread of a process has its own lane numbers.
class Lane {
  #head;

  constructor(index) {
    const number = threadId * LANES.length + 1 + index;
    this.#head = `{"pid":${process.pid},"tid":${number},"ph":`;
    this.post = this.event('"X","name":"post","dur":0,"ts":');
    this.arrowStart = this.event(ARROW_START);
    this.arrowStartAfterPost = this.#after('}', ARROW_START);
    this.arrowEndAfterStep = this.#after('}}', ARROW_END);
    this.joinStart = this.event(JOIN_START);
    this.joinEnd = this.event(JOIN_END);
    this.turn = this.event('"X","name":"turn","ts":');
  }

  // The encoded start of a slice that has not ended.
  unfinished(label) {
    return this.event(`"B","name":${nameOf(label)},"ts":`);
  }

  event(text) {
    return eventBytes(this.#head + text);
  }

  slice(label) {
    return this.event(`"X","name":${nameOf(label)},"ts":`);
  }

  #after(end, text) {
    return bytes(`${end},\n${this.#head}${text}`);
  }
}

const nameOf = (label) => quoted(label === '' ? '(anonymous)' : label);

const lanes = LANES.map((name, index) => new Lane(index));
const [LOOP] = lanes;
const HELD = LANES.length - 1;
const LANE_OF = PRIORITIES.map((priority) => lanes[LANES.indexOf(priority)]);

// The texts between the numbers of an event.
const TIME = bytes(',"ts":');
const DURATION = bytes(',"dur":');
const ID = bytes(',"args":{"id":');
const PARENT = bytes(',"parent":');
const DELAY = bytes(',"delay in ms":');
const WAITED = bytes(',"waited in us":');
const END = bytes('}');

const fairnessText = ({ key, level }) => bytes(`,"key":${quoted(key)},"level":${level}`);

class Trace {
  // Undefined, as a trace does not call the callbacks of tasks.
  call = undefined;
  needsMessages = true;
  #file;
  #watch = theWatch();
  // The origin of `performance.now()` and of the times in the trace.
  #origin = Math.round(this.#watch.origin);
  #flushedAt = this.#watch.now();
  // The time whose part of writes is used up.
  #usedUntil = this.#flushedAt - MOST_SAVED;
  // The length of the last write, in nanoseconds.
  #cost = 1e4;
  // Whether the file shows a step as under way, and the labels of those shown in this burst.
  #showsStep = false;
  #shown = new Set();
  // The end of the loop's last check phase, and the idle time of the loop at that moment.
  #turnedAt = this.#flushedAt;
  #idle = idleTime();
  // Since then: the end of the last step or post, and the longest gap without any.
  #busyUntil = this.#turnedAt;
  #quietFrom = this.#turnedAt;
  #quiet = 0;
  // The numbers of queued tasks that were written last.
  #counts = '';
  // By lane, by label: the encoded start of slices.
  #slices = new Map(lanes.map((lane) => [lane, new Map()]));
  // The last used one: many programs post one callback repeatedly.
  #lastLane;
  #lastLabel;
  #lastSlice;
  #holds = new HoldSlices(
    () => this.#watch.now(), (reason, start, end) => this.#writeHold(reason, start, end));
  #hasHolds = false;
  // The joins whose arrows have no end yet.
  #joins = new WeakSet();
  #isStopped = false;

  // `file` is a TraceFile.
  constructor(file) {
    this.#file = file;
    const title = isMainThread ? process.title : `${process.title}, worker ${threadId}`;
    this.#file.begin(LOOP.event(`"M","name":"process_name","args":{"name":${quoted(title)}}}`));
    for (let index = 0; index < HELD; index++) this.#beginLane(index);
    this.#watch.addListener(this);
    this.#file.putUnfinished = () => this.#putUnfinished();
    this.flush();
  }

  #beginLane(index) {
    const lane = lanes[index];
    const file = this.#file;
    file.begin(lane.event(`"M","name":"thread_name","args":{"name":"${LANES[index]}"}}`));
    file.begin(lane.event(`"M","name":"thread_sort_index","args":{"sort_index":${index}}}`));
  }

  // Begins an arrow from the post to the start. An arrow must begin in a slice.
  posted({ id }, now, step) {
    const file = this.#file;
    if (step === undefined) {
      this.#wasBusy(now, now);
      file.begin(LOOP.post);
      file.microseconds(now - this.#origin);
      file.put(LOOP.arrowStartAfterPost);
    } else {
      file.begin(LANE_OF[step.priority].arrowStart);
    }
    this.#endArrow(id, now);
  }

  // A step is about to start.
  began(step, now) {
    // Otherwise it would be written when the step has ended, and show none.
    if (this.#file.isAlmostFull) {
      this.#file.flush();
      return;
    }
    const saved = now - this.#usedUntil;
    const kept = this.#showsStep ? KEPT : KEPT / 2;
    if (saved < 0 || (saved < kept && this.#shown.has(labelOfStep(step)))) return;
    if (saved >= MOST_SAVED || this.#shown.size >= MOST_SHOWN) this.#shown.clear();
    this.flush();
  }

  // No step is under way. A file that shows one would accuse it of what runs next.
  rested(now) {
    if (this.#showsStep && now >= this.#usedUntil) this.flush();
  }

  // Puts the innermost step under way. If it ends, the next write has its slice in this place.
  #putUnfinished() {
    const { step } = this.#watch;
    this.#showsStep = step !== undefined;
    if (step === undefined) return;
    const lane = LANE_OF[step.priority];
    const label = labelOfStep(step);
    this.#shown.add(label);
    this.#file.put(lane.unfinished(label));
    this.#file.microseconds(step.startedAt - this.#origin);
    this.#endStep(step, lane);
  }

  // A step has ended.
  stepped(step, now) {
    const { priority, startedAt } = step;
    const lane = LANE_OF[priority];
    this.#wasBusy(startedAt, now);
    this.#beginSlice(lane, labelOfStep(step), startedAt, now);
    this.#endStep(step, lane);
    if (step.joins !== undefined) this.#endJoins(step.joins, lane, startedAt);
  }

  // Writes the rest of the slice of a step, and the end of its arrow.
  #endStep({ message, fairness, startedAt }, lane) {
    if (message === undefined) {
      this.#file.put(END);
    } else {
      this.#putArguments(message);
      if (fairness !== undefined) this.#file.put(fairnessText(fairness));
      this.#file.put(lane.arrowEndAfterStep);
      this.#endArrow(message.id, startedAt);
    }
  }

  // A shared task is about to be joined: begins an arrow to its next slice.
  joined(join, step) {
    const { id, joinedAt } = join;
    const lane = step === undefined ? LOOP : LANE_OF[step.priority];
    if (step === undefined) this.#markJoin(lane, 'join', joinedAt);
    this.#file.begin(lane.joinStart);
    this.#endArrow(id, joinedAt);
    this.#joins.add(join);
  }

  // A shared task has ended: draws an arrow to a slice of length 0 for each task that waited.
  joinsEnd(joins, { label, priority }, now, step) {
    const lane = LANE_OF[step === undefined ? priority : step.priority];
    this.#markJoin(lane, `ends: ${label}`, now);
    this.#endJoins(joins, lane, now);
    joins.forEach((join, i) => {
      const id = ++shared.lastId;
      this.#file.begin(lane.joinStart);
      this.#endArrow(id, now);
      const own = LANE_OF[join.priority];
      // A nanosecond apart, as an arrow binds to the slice that begins at the same time.
      const time = now + 1 + i;
      this.#markJoin(own, `goes on: ${join.label}`, time);
      this.#file.begin(own.joinEnd);
      this.#endArrow(id, time);
    });
  }

  #markJoin(lane, name, time) {
    this.#wasBusy(time, time);
    this.#write(lane.event(`"X","name":${quoted(name)},"dur":0,"ts":`), time);
  }

  // The arrows of joins before the slice end at the start of the slice.
  #endJoins(joins, lane, time) {
    for (const join of joins) {
      if (join.joinedAt > time || !this.#joins.delete(join)) continue;
      this.#file.begin(lane.joinEnd);
      this.#endArrow(join.id, time);
    }
  }

  #beginSlice(lane, label, start, end) {
    const file = this.#file;
    file.begin(this.#slice(lane, label));
    file.microseconds(start - this.#origin);
    file.put(DURATION);
    file.microseconds(durationOf(start, end));
  }

  // Background work was held.
  #writeHold(reason, start, end) {
    if (!this.#hasHolds) this.#beginLane(HELD);
    this.#hasHolds = true;
    this.#beginSlice(lanes[HELD], reason, start, end);
    this.#file.put(END);
  }

  settled({ startedAt, outcome, label, priority }) {
    if (startedAt !== undefined || outcome !== 'aborted') return;
    const lane = lanes[LANES.indexOf(priority)];
    const text = lane.event(`"i","s":"t","name":${quoted(`aborted: ${label}`)},"ts":`);
    this.#write(text, this.#watch.now());
  }

  #wasBusy(start, end) {
    if (start - this.#busyUntil > this.#quiet) {
      this.#quietFrom = this.#busyUntil;
      this.#quiet = start - this.#busyUntil;
    }
    if (end > this.#busyUntil) this.#busyUntil = end;
  }

  // A check phase has ended.
  turned(now) {
    // Comes first, as the time until this call counts as a part of the hold.
    this.#holds.look(now);
    this.#endTurn(now);
    this.#count(now);
    if (now - this.#flushedAt > LONGEST_WAIT) this.flush();
    else this.rested(now);
  }

  // A turn of the loop lasts from one check phase to the next. If the loop waited for events in
  // between, there is a slice before the wait and one after it. Only the length of the wait is
  // known, so it is placed in the longest gap between tasks.
  #endTurn(now) {
    this.#wasBusy(now, now);
    const idle = idleTime();
    const waited = Math.min(idle - this.#idle, this.#quiet);
    if (waited > 0) this.#writeTurn(this.#turnedAt, this.#quietFrom);
    this.#writeTurn(waited > 0 ? this.#quietFrom + waited : this.#turnedAt, now);
    this.#idle = idle;
    this.#turnedAt = now;
    this.#busyUntil = now;
    this.#quietFrom = now;
    this.#quiet = 0;
  }

  #writeTurn(start, end) {
    if (start === end) return;
    const file = this.#file;
    file.begin(LOOP.turn);
    file.microseconds(start - this.#origin);
    file.put(DURATION);
    file.microseconds(durationOf(start, end));
    file.put(END);
  }

  #count(now) {
    const counts = [0, 0, 0];
    for (const context of contexts()) {
      for (const { index, count } of queuedRanks(context)) counts[index] += count;
    }
    const text = PRIORITIES.map((priority, i) => `"${priority}":${counts[i]}`).join();
    if (text === this.#counts) return;
    this.#counts = text;
    this.#write(LOOP.event(`"C","name":"queued","args":{${text}},"ts":`), now);
  }

  #putArguments({ id, parentId, delay, queuedAt, startedAt }) {
    const file = this.#file;
    file.put(ID);
    file.integer(id);
    if (parentId !== undefined) {
      file.put(PARENT);
      file.integer(parentId);
    }
    if (delay > 0) {
      file.put(DELAY);
      file.integer(delay);
    }
    file.put(WAITED);
    file.integer(Math.max(0, Math.round((startedAt - queuedAt) * 1e3)));
  }

  // The encoded start of slices of a lane with this label.
  #slice(lane, label) {
    if (label === this.#lastLabel && lane === this.#lastLane) return this.#lastSlice;
    const slices = this.#slices.get(lane);
    let slice = slices.get(label);
    if (slice === undefined) {
      slice = lane.slice(label);
      if (slices.size >= MOST_NAMES) slices.clear();
      slices.set(label, slice);
    }
    this.#lastLane = lane;
    this.#lastLabel = label;
    return this.#lastSlice = slice;
  }

  // Writes an event whose text ends before its time.
  #write(text, time) {
    const file = this.#file;
    file.begin(text);
    file.microseconds(time - this.#origin);
    file.put(END);
  }

  #endArrow(id, time) {
    const file = this.#file;
    file.integer(id);
    file.put(TIME);
    file.microseconds(time - this.#origin);
    file.put(END);
  }

  flush() {
    const start = this.#watch.now();
    this.#file.flush();
    const end = this.#watch.now();
    // A write may take long once, for example if the machine stands still.
    this.#cost = Math.min(end - start, 2 * this.#cost + 1);
    const used = Math.max(this.#usedUntil, start - MOST_SAVED) + PARTS * this.#cost;
    this.#usedUntil = Math.min(used, end + LONGEST_WAIT);
    this.#flushedAt = end;
  }

  stop() {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#watch.endFor(this);
    this.#watch.removeListener(this);
    this.#endTurn(this.#watch.now());
    this.#holds.end();
    this.#file.end();
  }

  // The thread ends.
  exit() {
    this.stop();
  }
}

function labelOfStep({ isCounted, message, source }) {
  if (!isCounted && source === undefined) return 'idle callback';
  return message === undefined ? labelOf(source) : message.label;
}

// The length of a slice. It ends a nanosecond early: viewers add times as floating-point numbers,
// and DevTools hides a slice that begins before the last one of its lane has ended.
function durationOf(start, end) {
  return Math.max(0, end - start - 1);
}

function traceTasks(file, options = undefined) {
  if (typeof file !== 'string') throw FILE.error('a path', file);
  if (file === '' || file.includes('\0')) {
    throw FILE.error('a path', file, 'ERR_INVALID_ARG_VALUE');
  }
  const { signal } = webidl.readOptions(options, OPTIONS, MEMBERS);
  return contexts()[0].watchUntil(signal, () => {
    const trace = new Trace(open(file));
    return () => trace.stop();
  });
}

function open(name) {
  try {
    return new TraceFile(resolveName(name));
  } catch (cause) {
    const message = `Failed to execute ${OPERATION}: the file cannot be opened: ${cause.message}`;
    throw withCode(new Error(message, { cause }), cause.code);
  }
}

// Starts the trace of the environment variable, once per thread. If the file cannot be opened, only
// warns: the program did not request the trace, and may be a server.
function traceFromOutside(name) {
  if (shared.isTracedFromOutside) return;
  shared.isTracedFromOutside = true;
  try {
    new Trace(new TraceFile(resolveName(ownName(name))));
  } catch (error) {
    process.emitWarning(`UV_SCHEDULER_TRACE: ${error.message}`, 'UvSchedulerWarning');
  }
}

module.exports = { traceFromOutside, traceTasks };

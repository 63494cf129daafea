'use strict';

// traceTasks(): writes what the tasks of this thread do as a Chrome trace, which Perfetto and
// Chromium's DevTools show.
// Source: the Trace Event Format. The array needs no end, so an unfinished file opens, too.

const { extname } = require('node:path');
const { isMainThread, threadId } = require('node:worker_threads');
const webidl = require('../webidl.js');
const { shared } = require('./channels.js');
const { idleTime } = require('./clock.js');
const { labelOf } = require('./message.js');
const { PRIORITIES } = require('./priorities.js');
const { TraceFile, bytes, quoted } = require('./trace-file.js');
const { theWatch } = require('./watch.js');

const OPERATION = "'traceTasks'";
const FILE = new webidl.Parameter(OPERATION, 'the argument file');

// How long events may wait to be written, in nanoseconds.
const LONGEST_WAIT = 1e9;

// How many different names are kept as they are written.
const MOST_NAMES = 1000;

// The lanes, from the top: the numbers of their threads in the trace follow each other.
const LANES = ['event loop', 'user-blocking', 'user-visible', 'background'];

// What the events of each lane begin with. Each thread of a process has its own numbers.
const HEADS = LANES.map((lane, i) =>
  bytes(`{"pid":${process.pid},"tid":${threadId * LANES.length + 1 + i},"ph":`));
const [LOOP] = HEADS;
const HEAD_OF = PRIORITIES.map((priority) => HEADS[LANES.indexOf(priority)]);

const TEXTS = {
  post: bytes('"X","name":"post","dur":0,"ts":'),
  arrowStart: bytes('"s","name":"post","cat":"post","id":'),
  arrowEnd: bytes('"f","bp":"e","name":"post","cat":"post","id":'),
  slice: bytes('"X","name":'),
  turn: bytes('"X","name":"turn","ts":'),
  abort: bytes('"i","s":"t","name":'),
  time: bytes(',"ts":'),
  duration: bytes(',"dur":'),
  id: bytes(',"args":{"id":'),
  parent: bytes(',"parent":'),
  delay: bytes(',"delay in ms":'),
  waited: bytes(',"waited in us":'),
  end: bytes('}'),
};

class Trace {
  #file;
  #watch = theWatch();
  // `performance.now()` counts from here, and so does the trace.
  #origin = Math.round(this.#watch.origin);
  #flushedAt = this.#watch.now();
  // When the loop's last check phase ended, and how long the loop had been idle by then.
  #turnedAt = this.#flushedAt;
  #idle = Math.round(idleTime());
  // Since then: until when there was a step or a post, and the longest time without.
  #busyUntil = this.#turnedAt;
  #quietFrom = this.#turnedAt;
  #quiet = 0;
  // The numbers of queued tasks that were written last.
  #counts = '';
  // By label, as they are written.
  #names = new Map();

  constructor(name) {
    this.#file = new TraceFile(name);
    const title = isMainThread ? process.title : `${process.title}, worker ${threadId}`;
    this.#writeText(LOOP, `"M","name":"process_name","args":{"name":${quoted(title)}}`);
    LANES.forEach((lane, i) => {
      this.#writeText(HEADS[i], `"M","name":"thread_name","args":{"name":"${lane}"}`);
      this.#writeText(HEADS[i], `"M","name":"thread_sort_index","args":{"sort_index":${i}}`);
    });
    this.flush();
  }

  // An arrow leads from here to the start. It needs a slice that it begins in.
  posted({ id }, now, step) {
    if (step === undefined) {
      this.#write(LOOP, TEXTS.post, now);
      this.#wasBusy(now, now);
    }
    const head = step === undefined ? LOOP : HEAD_OF[step.priority];
    this.#writeArrow(head, TEXTS.arrowStart, id, now);
  }

  // A step has ended.
  stepped(step, now) {
    const { priority, message, startedAt } = step;
    const head = HEAD_OF[priority];
    const file = this.#file;
    this.#wasBusy(startedAt, now);
    file.begin();
    file.put(head);
    file.put(TEXTS.slice);
    file.put(this.#nameOf(step));
    file.put(TEXTS.time);
    file.microseconds(startedAt - this.#origin);
    file.put(TEXTS.duration);
    file.microseconds(durationOf(startedAt, now));
    if (message !== undefined) this.#putArguments(message);
    file.put(TEXTS.end);
    if (message !== undefined) this.#writeArrow(head, TEXTS.arrowEnd, message.id, startedAt);
  }

  settled({ startedAt, outcome, label, priority }) {
    if (startedAt !== undefined || outcome !== 'aborted') return;
    const head = HEADS[LANES.indexOf(priority)];
    const text = `${quoted(`aborted: ${label}`)},"ts":`;
    this.#write(head, Buffer.concat([TEXTS.abort, bytes(text)]), this.#watch.now());
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
    this.#endTurn(now);
    this.#count(now);
    if (now - this.#flushedAt > LONGEST_WAIT) this.flush();
  }

  // A turn of the loop lasts from one check phase to the next. If the loop waited for events in
  // between, there is a slice before the wait and one after it. How long it waited is known, and
  // when is not, but it was not while a task ran.
  #endTurn(now) {
    this.#wasBusy(now, now);
    const idle = Math.round(idleTime());
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
    file.begin();
    file.put(LOOP);
    file.put(TEXTS.turn);
    file.microseconds(start - this.#origin);
    file.put(TEXTS.duration);
    file.microseconds(durationOf(start, end));
    file.put(TEXTS.end);
  }

  #count(now) {
    const counts = [0, 0, 0];
    for (const { countQueued } of shared.contexts) {
      const numbers = countQueued();
      for (let rank = 1; rank <= 6; rank++) counts[rank - 1 >> 1] += numbers[2 * rank];
    }
    const text = PRIORITIES.map((priority, i) => `"${priority}":${counts[i]}`).join();
    if (text === this.#counts) return;
    this.#counts = text;
    this.#write(LOOP, bytes(`"C","name":"queued","args":{${text}},"ts":`), now);
  }

  #putArguments({ id, parentId, delay, queuedAt, startedAt }) {
    const file = this.#file;
    file.put(TEXTS.id);
    file.integer(id);
    if (parentId !== undefined) {
      file.put(TEXTS.parent);
      file.integer(parentId);
    }
    if (delay > 0) {
      file.put(TEXTS.delay);
      file.integer(delay);
    }
    file.put(TEXTS.waited);
    file.integer(Math.max(0, Math.round((startedAt - queuedAt) * 1e3)));
    file.put(TEXTS.end);
  }

  // The name of a step's slice.
  #nameOf({ isCounted, message, source }) {
    if (!isCounted && source === undefined) return this.#name('idle callback');
    return this.#name(message === undefined ? labelOf(source) : message.label);
  }

  #name(label) {
    let name = this.#names.get(label);
    if (name === undefined) {
      name = bytes(quoted(label === '' ? '(anonymous)' : label));
      if (this.#names.size >= MOST_NAMES) this.#names.clear();
      this.#names.set(label, name);
    }
    return name;
  }

  // Writes an event whose text ends in its time.
  #write(head, text, time) {
    const file = this.#file;
    file.begin();
    file.put(head);
    file.put(text);
    file.microseconds(time - this.#origin);
    file.put(TEXTS.end);
  }

  #writeArrow(head, text, id, time) {
    const file = this.#file;
    file.begin();
    file.put(head);
    file.put(text);
    file.integer(id);
    file.put(TEXTS.time);
    file.microseconds(time - this.#origin);
    file.put(TEXTS.end);
  }

  #writeText(head, text) {
    this.#file.begin();
    this.#file.put(head);
    this.#file.put(bytes(`${text}}`));
  }

  flush() {
    this.#flushedAt = this.#watch.now();
    this.#file.flush();
  }

  end() {
    this.#endTurn(this.#watch.now());
    this.#file.end();
  }
}

// How long a slice is. It ends a nanosecond early: viewers add times as floating-point numbers, and
// DevTools does not show a slice that begins before the last one of its lane has ended.
function durationOf(start, end) {
  return Math.max(0, end - start - 1);
}

// Replaces `${pid}` and `${tid}` in a name by the numbers of the process and the thread.
function resolveName(name) {
  return name.replaceAll('${pid}', process.pid).replaceAll('${tid}', threadId);
}

// The name for this thread, where the same name is given to all threads and processes.
function ownName(name) {
  const hasThread = name.includes('${tid}');
  const hasProcess = name.includes('${pid}');
  if (hasThread || (hasProcess && isMainThread)) return name;
  const extension = extname(name);
  const base = name.slice(0, name.length - extension.length);
  return `${base}${hasProcess ? '' : '.${pid}'}.\${tid}${extension}`;
}

function startTrace(name) {
  const trace = new Trace(resolveName(name));
  const watch = theWatch();
  watch.addListener(trace);
  let isStopped = false;
  const stop = () => {
    if (isStopped) return;
    isStopped = true;
    process.off('exit', stop);
    watch.removeListener(trace);
    trace.end();
  };
  process.on('exit', stop);
  return { stop };
}

function traceTasks(file) {
  if (typeof file !== 'string') throw FILE.error('a path', file);
  if (file === '') throw FILE.error('a path', file, 'ERR_INVALID_ARG_VALUE');
  return startTrace(file);
}

// Starts the trace that the environment variable asks for, once in a thread.
function traceFromOutside(name) {
  if (shared.isTracedFromOutside) return;
  shared.isTracedFromOutside = true;
  try {
    startTrace(ownName(name));
  } catch (error) {
    process.emitWarning(`UV_SCHEDULER_TRACE: ${error.message}`, 'UvSchedulerWarning');
  }
}

module.exports = { traceFromOutside, traceTasks };

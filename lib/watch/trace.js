'use strict';

// traceTasks(): writes what the tasks of this thread do as a Chrome trace, which Perfetto and
// Chromium's DevTools show.
// Source: the Trace Event Format. The array needs no end, so an unfinished file opens, too.

const { closeSync, openSync, writeFileSync } = require('node:fs');
const { extname } = require('node:path');
const { isMainThread, threadId } = require('node:worker_threads');
const webidl = require('../webidl.js');
const { shared } = require('./channels.js');
const { idleTime } = require('./clock.js');
const { labelOf } = require('./message.js');
const { PRIORITIES, theWatch } = require('./watch.js');

const OPERATION = "'traceTasks'";
const FILE = new webidl.Parameter(OPERATION, 'the argument file');

// How many characters are collected before they are written.
const CHUNK = 2 ** 16;

// How long events may wait to be written, in nanoseconds.
const LONGEST_WAIT = 1e9;

const NANOSECONDS_PER_MICROSECOND = 1e3;
const MICROSECONDS_PER_MILLISECOND = 1e3;

// The lanes, from the top: the numbers of their threads in the trace follow each other.
const LANES = ['event loop', 'user-blocking', 'user-visible', 'background'];
const LOOP = 0;
const laneOf = (priority) => LANES.indexOf(priority);

// Each thread of a process has its own numbers.
const FIRST_LANE = threadId * LANES.length + 1;

class Trace {
  #file;
  #watch = theWatch();
  #text = '[';
  #isFirst = true;
  #flushedAt;
  // When the loop's last check phase ended, and how long the loop had been idle by then.
  #turnedAt;
  #idle = idleTime();
  // The numbers of queued tasks that were written last.
  #counts = '';

  constructor(name) {
    this.#file = openSync(name, 'w');
    this.#turnedAt = this.#watch.now();
    this.#flushedAt = this.#turnedAt;
    const title = isMainThread ? process.title : `${process.title}, worker ${threadId}`;
    this.#write(`"ph":"M","name":"process_name","args":{"name":${JSON.stringify(title)}}`, LOOP);
    LANES.forEach((lane, index) => {
      this.#write(`"ph":"M","name":"thread_name","args":{"name":"${lane}"}`, index);
      this.#write(`"ph":"M","name":"thread_sort_index","args":{"sort_index":${index}}`, index);
    });
    this.flush();
  }

  // An arrow leads from here to the start. It needs a slice that it begins in.
  posted(message, step) {
    const time = microseconds(message.postedAt);
    const isInSlice = step !== undefined;
    const lane = isInSlice ? laneOf(PRIORITIES[step.priority]) : LOOP;
    if (!isInSlice) this.#write(`"ph":"X","name":"post","cat":"post","ts":${time},"dur":0`, lane);
    this.#write(
      `"ph":"s","name":"post","cat":"post","id":${message.id},"ts":${time}`, lane);
  }

  // A step has ended.
  stepped({ priority, source, message, startedAt, isCounted }, now) {
    const lane = laneOf(PRIORITIES[priority]);
    const start = microseconds(this.#watch.toMilliseconds(startedAt));
    const duration = ((now - startedAt) / NANOSECONDS_PER_MICROSECOND).toFixed(3);
    const label = message?.label ?? labelOf(source);
    const name = JSON.stringify(label === '' ? nameless(message, isCounted) : label);
    const details = message === undefined ? '' : `,"args":${argumentsOf(message)}`;
    this.#write(
      `"ph":"X","name":${name},"cat":"task","ts":${start},"dur":${duration}${details}`, lane);
    if (message === undefined) return;
    this.#write(
      `"ph":"f","bp":"e","name":"post","cat":"post","id":${message.id},"ts":${start}`, lane);
  }

  settled(message) {
    if (message.startedAt !== undefined || message.outcome !== 'aborted') return;
    const time = microseconds(this.#watch.toMilliseconds(this.#watch.now()));
    const name = JSON.stringify(`aborted: ${message.label}`);
    const lane = laneOf(message.priority);
    this.#write(`"ph":"i","s":"t","name":${name},"cat":"abort","ts":${time}`, lane);
  }

  // A check phase has ended. A turn of the loop lasts from one to the next, less the time in which
  // it waited for events.
  turned(now) {
    const idle = idleTime();
    const begun = Math.min(this.#turnedAt + idle - this.#idle, now);
    const start = microseconds(this.#watch.toMilliseconds(begun));
    const duration = ((now - begun) / NANOSECONDS_PER_MICROSECOND).toFixed(3);
    this.#write(`"ph":"X","name":"turn","cat":"loop","ts":${start},"dur":${duration}`, LOOP);
    this.#turnedAt = now;
    this.#idle = idle;
    this.#count(microseconds(this.#watch.toMilliseconds(now)));
    if (now - this.#flushedAt > LONGEST_WAIT) this.flush();
  }

  #count(time) {
    const counts = [0, 0, 0];
    for (const { countQueued } of shared.contexts) {
      const numbers = countQueued();
      for (let rank = 1; rank <= 6; rank++) counts[rank - 1 >> 1] += numbers[2 * rank];
    }
    const text = PRIORITIES.map((priority, i) => `"${priority}":${counts[i]}`).join();
    if (text === this.#counts) return;
    this.#counts = text;
    this.#write(`"ph":"C","name":"queued","ts":${time},"args":{${text}}`, LOOP);
  }

  #write(event, lane) {
    const separator = this.#isFirst ? '\n' : ',\n';
    this.#isFirst = false;
    this.#text += `${separator}{"pid":${process.pid},"tid":${FIRST_LANE + lane},${event}}`;
    if (this.#text.length >= CHUNK) this.flush();
  }

  flush() {
    this.#flushedAt = this.#watch.now();
    const text = this.#text;
    this.#text = '';
    if (this.#file === undefined) return;
    try {
      writeFileSync(this.#file, text);
    } catch (error) {
      // Tasks go on where a disk is full.
      this.#close();
      process.emitWarning(`The trace of tasks ends: ${error.message}`, 'UvSchedulerWarning');
    }
  }

  end() {
    this.#text += '\n]\n';
    this.flush();
    this.#close();
  }

  #close() {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function nameless(message, isCounted) {
  if (!isCounted) return 'idle callback';
  return message?.isContinuation ? '(continuation)' : '(anonymous)';
}

function microseconds(milliseconds) {
  return (milliseconds * MICROSECONDS_PER_MILLISECOND).toFixed(3);
}

function argumentsOf({ id, parentId, isContinuation, delay, queuedAt, startedAt }) {
  const parent = parentId === undefined ? '' : `"parentId":${parentId},`;
  const waited = Math.max(0, startedAt - queuedAt).toFixed(3);
  return `{"id":${id},${parent}"isContinuation":${isContinuation},"delay":${delay},` +
    `"waited":"${waited} ms"}`;
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
  if (typeof file !== 'string' || file === '') throw FILE.error('a path', file);
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

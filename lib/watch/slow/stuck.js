'use strict';

// Reports while a thread is stuck: starts the thread that watches this one, tells it that this one
// turns, and keeps the reports that it has written until the ordinary ones name them.

const { clearInterval, setInterval } = require('node:timers');
const { MessageChannel, isMainThread, receiveMessageOnPort, threadId } =
  require('node:worker_threads');
const { shared } = require('../channels.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');
const { SHARED, refusal, startThread } = require('../watching-thread.js');
const { isOurs, placeIn } = require('./places.js');
const { watchThread } = require('./stuck-thread.js');

// Both threads wake up this many times until a report is due, within bounds in ms.
const LOOKS = 8;
const LEAST_PERIOD = 10;
const MOST_PERIOD = 60_000;

// The maximum number of frames in a report.
const MOST_FRAMES = 50;

class StuckWatch {
  #words = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #worker;
  #port;
  #timer;
  #number = ++shared.lastStuckWatch;
  // In order: the time in ms, how long the thread had been stuck, and the stack.
  #reports = [];

  // `stuckAfter` is in ms; `describe()` returns the identity of the callback under way.
  constructor(stuckAfter, describe) {
    const underWay = () => {
      return { ...describe(), stack: stackOf(underWay), word: Atomics.load(this.#words, 0) };
    };
    shared.underWay.set(this.#number, underWay);
    const period = Math.min(Math.max(stuckAfter / LOOKS, LEAST_PERIOD), MOST_PERIOD);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = startThread(watchThread, 'stuckAfter', {
      expression: `${SHARED}.underWay.get(${this.#number})()`, isMain: isMainThread, period,
      port: port2, refusal: refusal(), stuckAfter, threadId, words: this.#words,
    }, [port2]);
    this.#worker.on('error', ({ message }) => {
      process.emitWarning(`The reports of stuckAfter end: ${message}`, 'UvSchedulerWarning');
    });
    this.#timer = setInterval(() => this.turned(), period).unref();
  }

  // The thread is not stuck.
  turned() {
    Atomics.add(this.#words, 0, 1);
  }

  // The reports on a callback, in the form of its own report. The periods are in order.
  reportsIn(start, end) {
    for (let received; (received = receiveMessageOnPort(this.#port)) !== undefined;) {
      this.#reports.push(received.message);
    }
    const isBefore = (time) => ({ at }) => at * NANOSECONDS_PER_MILLISECOND < time;
    const stuck = this.#reports.filter(isBefore(end)).filter((each) => !isBefore(start)(each));
    this.#reports = this.#reports.filter((each) => !isBefore(end)(each));
    if (stuck.length === 0) return {};
    return { stuck: stuck.map(({ time, stack }) => ({ duration: time, stack })) };
  }

  stop() {
    shared.underWay.delete(this.#number);
    clearInterval(this.#timer);
    this.#port.close();
    void this.#worker.terminate();
  }
}

// The stack of the code under way: without `first` and its caller, and without the outermost
// functions that are Node's and this package's.
function stackOf(first) {
  const { stackTraceLimit } = Error;
  const holder = {};
  Error.stackTraceLimit = MOST_FRAMES;
  Error.captureStackTrace(holder, first);
  Error.stackTraceLimit = stackTraceLimit;
  const lines = `${holder.stack}`.split('\n').filter((line) => line.startsWith('    at '));
  const frames = lines.slice(1);
  const outermost = frames.findLastIndex((line) => !isOurs(placeIn(line) ?? 'node:'));
  return (outermost < 0 ? frames : frames.slice(0, outermost + 1)).join('\n');
}

module.exports = { StuckWatch };

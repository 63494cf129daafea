'use strict';

// Reports while a thread is stuck: starts the thread that watches this one, and keeps the reports
// that it has written until the ordinary ones name them.

const { MessageChannel, isMainThread, receiveMessageOnPort, threadId } =
  require('node:worker_threads');
const { shared } = require('../channels.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');
const { Heartbeat, countQuiet } = require('../heartbeat.js');
const { SHARED, refusal, startThread } = require('../watching-thread.js');
const { isOurs, placeIn } = require('./places.js');
const { watchThread } = require('./stuck-thread.js');

// The maximum number of frames in a report.
const MOST_FRAMES = 50;

class StuckWatch {
  #heartbeat;
  #worker;
  #port;
  #number = ++shared.lastStuckWatch;
  // In order: the time in ms, how long the thread had been stuck, and the stack.
  #reports = [];

  // `stuckAfter` is in ms; `describe()` returns the identity of the callback under way.
  constructor(stuckAfter, describe) {
    this.#heartbeat = new Heartbeat(stuckAfter);
    const { period, words } = this.#heartbeat;
    const underWay = () => {
      return { ...describe(), stack: stackOf(underWay), word: Atomics.load(words, 0) };
    };
    shared.underWay.set(this.#number, underWay);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = startThread(watchThread, 'stuckAfter', {
      expression: `${SHARED}.underWay.get(${this.#number})()`, isMain: isMainThread, period,
      port: port2, refusal: refusal(), stuckAfter, threadId, words,
    }, { parts: [countQuiet], transferList: [port2] });
    this.#worker.on('error', ({ message }) => {
      process.emitWarning(`The reports of stuckAfter end: ${message}`, 'UvSchedulerWarning');
    });
  }

  // The thread is not stuck.
  turned() {
    this.#heartbeat.beat();
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
    this.#heartbeat.stop();
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

'use strict';

// createAdmission(): decides for each request of a server whether it is served, and posts it as a
// task of its priority. lines.js decides; docs/overload.md says how that was chosen.
//
// Of each priority only the oldest request is posted, so that the scheduler decides between
// priorities, and nobody is posted while gate.js is closed.

const { setTimeout } = require('node:timers');

const { now } = require('../../../lib/loop/intrinsics.js');
const webidl = require('../../../lib/webidl/conversions.js');
const { isResponse } = require('../task-controller.js');
const { answerBusy } = require('./answer.js');
const { noCounts, register } = require('./counts.js');
const { Gate } = require('./gate.js');
const { Lines } = require('./lines.js');
const { toClass, toOptions } = require('./options.js');
const { Visit } = require('./visit.js');

const { PRIORITIES } = webidl;

// Of setTimeout(), in milliseconds.
const LONGEST_TIMER = 2 ** 31 - 1;

const LISTENER = new webidl.Parameter("'handler'", 'the argument listener');
const NEXT = new webidl.Parameter("'middleware'", 'the argument next');
const RUN = new webidl.Parameter("'admit'", 'the argument run');
const RESPONSE = 'the argument response';
const EXPECTED = 'a response of node:http or node:http2';

class Admission {
  #classify;
  #refuse;
  #lines;
  #counts = noCounts();
  #timer;
  #gate = new Gate(() => this.dispatch());
  // When the request that runs got its turn.
  #startedAt = 0;

  constructor({ classify, refuseAfter, maxQueued, refuse }) {
    register(this);
    this.#classify = classify;
    this.#refuse = refuse ?? answerBusy;
    this.#lines = new Lines(refuseAfter, maxQueued, (visit, reason) => {
      this.#countRefused(visit, reason);
      visit.refuse(reason);
    });
  }

  // Fulfils with whether `run` was called.
  admit(request, response, run) {
    return new Promise((resolve, reject) => {
      const priority = this.#classOf(request);
      const visit = new Visit(this, priority, request, response, run, resolve, reject);
      this.#gate.arrivals++;
      const reason = this.#lines.arrive(visit, priority, now());
      if (reason === undefined) {
        visit.wait();
        this.dispatch();
        this.#watch();
      } else {
        this.#countRefused(visit, reason);
        visit.refuse(reason);
      }
    });
  }

  #classOf(request) {
    const classify = this.#classify;
    return classify === undefined ? 'user-visible' : toClass(classify(request));
  }

  // Posts the oldest of each priority.
  dispatch() {
    if (this.#lines.size === 0 || !this.#gate.isOpen()) return;
    for (const priority of PRIORITIES) this.#lines.oldestOf(priority)?.post();
  }

  // Whether a request may run now.
  isReady() {
    return this.#gate.isOpen();
  }

  // Looks after those who wait, also if nobody arrives and nobody gets a turn.
  #watch() {
    if (this.#timer !== undefined) return;
    const { deadline } = this.#lines;
    if (deadline === Infinity) return;
    const time = Math.min(Math.max(deadline - now(), 0) + 1, LONGEST_TIMER);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#lines.refuseLate(now());
      this.dispatch();
      this.#watch();
    }, time);
    this.#timer.unref();
  }

  // A visit gets its turn. Returns why it is refused.
  start(visit) {
    const time = now();
    this.#startedAt = time;
    const reason = this.#lines.start(visit, time);
    if (reason === undefined) this.#counts[visit.priority].admit(time - visit.arrivedAt);
    else this.#countRefused(visit, reason);
    return reason;
  }

  // The listener has returned.
  ran() {
    const time = now();
    this.#gate.close(time, time - this.#startedAt);
    this.dispatch();
  }

  // Ends a task with `end()`. While others wait and none of them is posted, it stays: drain() must
  // not be done.
  settle(end) {
    if (this.#lines.size === 0) end();
    else this.#gate.whenOpen(end);
  }

  // Its client has left.
  leave(visit) {
    this.#lines.leave(visit);
    this.#counts[visit.priority].left++;
    this.dispatch();
  }

  refuseAtDrain(visit) {
    this.#lines.leave(visit);
    this.#countRefused(visit, 'drain');
    visit.refuse('drain');
    this.dispatch();
  }

  #countRefused({ priority }, reason) {
    this.#counts[priority].refused[reason]++;
  }

  answer(request, response, reason) {
    const refuse = this.#refuse;
    return refuse(request, response, reason);
  }

  read() {
    return Object.fromEntries(PRIORITIES.map((priority) => {
      return [priority, this.#counts[priority].read(this.#lines.sizeOf(priority))];
    }));
  }
}

function checkResponse(operation, response) {
  if (isResponse(response)) return;
  throw new webidl.Parameter(operation, RESPONSE).error(EXPECTED, response);
}

function createAdmission(options = undefined) {
  const admission = new Admission(toOptions(options));
  return {
    handler(listener) {
      webidl.toFunction(listener, LISTENER);
      return function (request, response) {
        checkResponse("'handler'", response);
        return admission.admit(request, response, () => listener.call(this, request, response));
      };
    },
    middleware(request, response, next) {
      checkResponse("'middleware'", response);
      webidl.toFunction(next, NEXT);
      const run = () => {
        next();
      };
      admission.admit(request, response, run).catch(next);
    },
    async admit(request, response, run) {
      checkResponse("'admit'", response);
      return admission.admit(request, response, webidl.toFunction(run, RUN));
    },
    counts: () => admission.read(),
  };
}

module.exports = { createAdmission };

'use strict';

// createAdmission(): decides for each request of a server whether it is served, and posts it as a
// task of its priority. lines.js decides, and names the origin of its rules.
//
// Of each priority only the oldest request is posted, so that the scheduler decides between
// priorities, and none is posted while gate.js is closed.
//
// Continuations come before tasks, so requests that have begun come before those that wait. Where
// pages are cut in pieces that is good: they end one after the other. If all shared the thread with
// those that wait, all would end late. For the same reason no request is posted while sections of
// React pages wait. But the continuations can also be those of a loop that is no request, and may
// never end, as sections may. So a request stands among continuations if none of its priority has
// begun, and in any case when it has been the oldest for twice as long as the oldest ones have been
// of late.

const { clearTimeout } = require('node:timers');

const api = require('../../../index.js');
const { now } = require('../../../lib/loop/intrinsics.js');
const { setTimer } = require('../../../lib/loop/timers.js');
const webidl = require('../../../lib/webidl/conversions.js');
const { isResponse } = require('../controller-for.js');
const { answerBusy, answerFailed } = require('./answer.js');
const { noCounts, register, toCounts } = require('./counts.js');
const { TurnGate } = require('./gate.js');
const { Lines } = require('./lines.js');
const { PassThrough, isAdmissionDisabled } = require('./pass-through.js');
const { toClass, toKey, toOptions, toWeight } = require('./options.js');
const { Visit } = require('./visit.js');

const { addIntake, haveSections, isRefused, requestLeft } =
  api[Symbol.for('uv-scheduler.requests')];

// How long the oldest request waits for sections of those that have begun, in ms.
const LEAST_PATIENCE = 20;
const MOST_PATIENCE = 200;

const LISTENER = new webidl.Parameter("'handler'", 'the argument listener');
const NEXT = new webidl.Parameter("'middleware'", 'the argument next');
const RUN = new webidl.Parameter("'admit'", 'the argument run');
const RESPONSE = 'the argument response';
const EXPECTED = 'a response of node:http or node:http2';

class Admission {
  #classify;
  #keyOf;
  #weightOf;
  // The application's refuse().
  #ownRefuse;
  #lines;
  #counts = noCounts();
  #timer;
  // When the timer fires.
  #alarm = Infinity;
  #gate = new TurnGate(() => this.dispatch());
  // When the request that runs got its turn.
  #startedAt = 0;
  // The functions of the application that have thrown: a warning about one is enough.
  #failed = new Set();

  // For how many ms the continuations of a request of the background may wait in sum.
  maxWait;
  #maxRunning;
  // How many requests have begun and not settled.
  #running = 0;

  constructor(options) {
    const { classify, refuseAfter, maxQueued, maxRunning, maxWait, refuse } = options;
    register(this);
    addIntake(this);
    this.maxWait = maxWait;
    this.#maxRunning = maxRunning;
    this.#classify = classify;
    this.#keyOf = options.fairnessKey;
    this.#weightOf = options.fairnessWeight;
    this.#ownRefuse = refuse;
    this.#lines = new Lines(refuseAfter, maxQueued, (visit, reason) => {
      this.#refuse(visit, reason);
    });
  }

  // How many requests wait.
  get size() {
    return this.#lines.size;
  }

  // Fulfils with whether `run` was called. Throws what classify() throws.
  admit(request, response, run) {
    const members = this.#classOf(request);
    return new Promise((resolve, reject) => {
      const visit = new Visit(this, members, request, response, run, resolve, reject);
      this.#gate.arrivals++;
      const reason = this.#arrive(visit, members.priority);
      if (reason === undefined) {
        visit.wait();
        this.dispatch();
        this.#watch();
      } else {
        this.#refuse(visit, reason);
      }
    });
  }

  // Returns why a request is refused on arrival; undefined if it waits.
  #arrive(visit, priority) {
    return isRefused(priority) ? 'draining' : this.#lines.arrive(visit, priority, now());
  }

  // As admit(), but answers 500 if classify() throws.
  handle(request, response, run) {
    try {
      return this.admit(request, response, run);
    } catch (error) {
      this.#warn('classify', error);
      answerFailed(request, response);
      return Promise.resolve(false);
    }
  }

  // The priority of a request, its fairness key and its weight.
  #classOf(request) {
    const classify = this.#classify;
    const priority = classify === undefined ? 'user-visible' : toClass(classify(request));
    if (this.#keyOf === undefined) return { priority };
    const fairnessKey = toKey(this.#keyOf(request));
    const fairnessWeight = toWeight(this.#weightOf?.(fairnessKey));
    return { priority, fairnessKey, fairnessWeight };
  }

  // Posts the oldest request of each line.
  dispatch() {
    if (this.#lines.size === 0) return;
    this.#lines.visitChanged((oldest, line) => {
      if (!this.isReady(oldest)) return false;
      if (this.mustWait(oldest)) {
        oldest.noteReady(now());
        this.#wakeAt(this.#endOfPatience(oldest, line));
        return false;
      }
      oldest.post();
      return true;
    });
  }

  // Whether sections of pages that have begun come before a request.
  mustWait(visit) {
    const { priority } = visit;
    if (this.#counts[priority].running === 0 || !haveSections(priority)) return false;
    const { line, readyAt } = visit;
    return readyAt === undefined || now() < this.#endOfPatience(visit, line);
  }

  #endOfPatience({ readyAt }, { pace }) {
    return readyAt + Math.min(Math.max(LEAST_PATIENCE, 2 * pace), MOST_PATIENCE);
  }

  // Whether a request may run now. Those that cannot wait have some room of their own.
  isReady({ priority }) {
    if (!this.#gate.isOpen()) return false;
    const most = this.#maxRunning;
    if (this.#running < most) return true;
    const room = Math.max(1, Math.trunc(most / 10));
    return priority === 'user-blocking' && this.#running < most + room;
  }

  // Refuses requests in time also if no other arrives or gets a turn.
  #watch() {
    this.#wakeAt(this.#lines.deadline);
  }

  #wakeAt(deadline) {
    if (deadline >= this.#alarm) return;
    clearTimeout(this.#timer);
    this.#alarm = deadline;
    const time = Math.max(deadline - now(), 0) + 1;
    this.#timer = setTimer(() => {
      this.#alarm = Infinity;
      this.#lines.refuseLate(now());
      this.dispatch();
      this.#watch();
    }, time);
    this.#timer.unref();
  }

  // A visit gets its turn. Returns whether it is admitted.
  start(visit) {
    const time = now();
    this.#startedAt = time;
    const reason = this.#lines.start(visit, time);
    if (reason === undefined) {
      this.#running++;
      this.#counts[visit.priority].admit(time - visit.arrivedAt);
      return true;
    }
    this.#refuse(visit, reason);
    this.dispatch();
    return false;
  }

  // A visit has had its turn at a time when it may not begin.
  waitsAgain({ line }) {
    this.#lines.changed(line);
    this.dispatch();
  }

  // A request that has begun has its response.
  settled({ priority }) {
    this.#running--;
    this.#counts[priority].running--;
    this.dispatch();
  }

  raised({ priority }) {
    this.#counts[priority].raised++;
  }

  // The listener has returned.
  ran() {
    const time = now();
    this.#gate.close(time, time - this.#startedAt);
    this.dispatch();
  }

  // A request leaves that is not answered here: 'left' or 'withdrawn'.
  leave(visit, outcome) {
    this.#lines.leave(visit);
    this.#counts[visit.priority][outcome]++;
    this.dispatch();
    requestLeft();
  }

  // Refuses the waiting requests for which `isRefused(priority, isPosted)` is true.
  refuse(isRefused) {
    this.#lines.refuseAll('draining', (visit) => isRefused(visit.currentPriority, visit.isPosted));
    this.dispatch();
  }

  #refuse(visit, reason) {
    this.#counts[visit.priority].refused[reason]++;
    visit.refuse(reason);
    requestLeft();
  }

  // Answers a request that is refused. Returns a promise if the application's refuse() does. If
  // that fails, the client gets the default answer.
  answer(request, response, reason) {
    const refuse = this.#ownRefuse;
    if (refuse === undefined) {
      answerBusy(request, response);
      return undefined;
    }
    const failed = (error) => {
      this.#warn('refuse', error);
      answerBusy(request, response);
    };
    try {
      const result = refuse(request, response, reason);
      if (typeof result?.then !== 'function') return undefined;
      return Promise.resolve(result).then(undefined, failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  #warn(name, error) {
    if (this.#failed.has(name)) return;
    this.#failed.add(name);
    const [message, detail] = describe(error);
    process.emitWarning(`${name}() of an admission has failed: ${message}`, {
      type: 'UvSchedulerWarning',
      code: 'UV_SCHEDULER_ADMISSION',
      detail,
    });
  }

  read() {
    return toCounts(this.#counts, (priority) => this.#lines.sizeOf(priority));
  }
}

// The message and the stack of what was thrown, which can be anything.
function describe(error) {
  try {
    return [String(error?.message ?? error), error?.stack];
  } catch {
    return ['with a value that cannot be shown', undefined];
  }
}

function checkResponse(operation, response) {
  if (isResponse(response)) return;
  throw new webidl.Parameter(operation, RESPONSE).error(EXPECTED, response);
}

function createAdmission(options = undefined) {
  const checked = toOptions(options);
  const admission = isAdmissionDisabled() ? new PassThrough() : new Admission(checked);
  return {
    handler(listener) {
      webidl.toFunction(listener, LISTENER);
      return function (request, response) {
        checkResponse("'handler'", response);
        return admission.handle(request, response, () => listener.call(this, request, response));
      };
    },
    middleware(request, response, next) {
      checkResponse("'middleware'", response);
      webidl.toFunction(next, NEXT);
      const run = () => {
        next();
      };
      const admit = async () => admission.admit(request, response, run);
      admit().catch(next);
    },
    async admit(request, response, run) {
      checkResponse("'admit'", response);
      return admission.admit(request, response, webidl.toFunction(run, RUN));
    },
    counts: () => admission.read(),
  };
}

module.exports = { createAdmission };

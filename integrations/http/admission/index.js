'use strict';

// createAdmission(): decides for each request of a server whether it is served, and posts it as a
// task of its priority. The rules and their origin are in lines.js.
//
// A request arrives as a Visit (visit.js), which is refused or waits in its queue. When its task
// starts, the visit starts, is refused or waits again. A visit that has started reports the end of
// its response, another one that it has left. Methods that decide return the reason of a refusal,
// and undefined without one.
//
// Only the oldest requests of each queue are posted, so that the scheduler decides between
// priorities and keys. Several are, as a task that is posted in a check phase may wait for the next
// one, so a queue whose listeners await a query would start one request in each turn. No more are
// posted than the limit of limit.js and `maxRunning` let start, nor than MOST_POSTED, and none
// during a pause of arrival-pause.js.

const {
  addIntake,
  drainRefuses,
  isAdmissionOff,
  ledger,
  requestLeft,
  time,
  webidl,
} = require('../../internal.js');
const { observerOf } = require('../points.js');
const { admissionOf } = require('../requests.js');
const { isResponse } = require('../responses.js');
const { answerBusy, answerFailed, continueWhenRead } = require('./answer.js');
const { callerOn } = require('./callers.js');
const { noCounts, register, toCounts } = require('./counts.js');
const { ArrivalPause } = require('./arrival-pause.js');
const { Estimate } = require('./estimate.js');
const { Limit } = require('./limit.js');
const { Lines } = require('./lines.js');
const { Observed } = require('./observed.js');
const { PassThrough } = require('./pass-through.js');
const { ROUTE, toClass, toKey, toLabel, toOptions, toWeight } = require('./options.js');
const { RouteTable } = require('./route-table.js');
const { Visit } = require('./visit.js');

const { clearTimer, now, setTimer } = time;

const { PRIORITIES } = webidl;

// If a pause begins, each posted request takes a turn in vain, of some 2 µs, and is posted again.
const MOST_POSTED = 16;

const LISTENER = new webidl.Parameter("'handler'", 'the argument listener');
const NEXT = new webidl.Parameter("'middleware'", 'the argument next');
const RUN = new webidl.Parameter("'admit'", 'the argument run');
const RESPONSE = 'the argument response';
const EXPECTED = 'a response of node:http or node:http2';

class Admission {
  #classify;
  #labelOf;
  #keyOf;
  #weightOf;
  // The name of the application's function that was called last to class a request.
  #asked;
  // The application's refuse(), and the answer without it.
  #ownRefuse;
  #refusal;
  // Whether a request is only observed; undefined if all are admitted. What would be refused then.
  #observes;
  #estimate;
  // The number of observed requests in progress.
  #observing = 0;
  // The rows by route, if wanted.
  #table;
  // undefined without a bound.
  #heap;
  #lines;
  #counts = noCounts();
  #timer;
  // The time when the timer fires.
  #alarm = Infinity;
  #pause = new ArrivalPause(() => this.dispatch());
  // The time when the running request got its turn.
  #startedAt = 0;
  // The functions of the application that have thrown, to warn once about each.
  #failed = new Set();

  #limit = new Limit();
  // Ends the following of callbacks, while they are followed.
  #unfollow = undefined;

  // The time in ms that the continuations of a background request may wait in sum.
  raiseAfter;
  #maxRunning;

  constructor(options) {
    const { classify, maxHeap = 1, maxRunning, observe, raiseAfter, refusal, refuse } = options;
    register(this);
    addIntake(this);
    this.raiseAfter = raiseAfter;
    this.#maxRunning = maxRunning;
    this.#classify = classify;
    this.#labelOf = options.label;
    this.#keyOf = options.fairnessKey;
    this.#weightOf = options.fairnessWeight;
    this.#ownRefuse = refuse;
    this.#refusal = refusal;
    this.#observes = observe;
    this.#estimate = new Estimate(options);
    if (maxHeap < 1) {
      // It takes parts of Node that few programs have loaded.
      const { HeapLimit } = require('./heap-limit.js');
      this.#heap = new HeapLimit(maxHeap);
    }
    if (options.routes || this.#keyOf === ROUTE) this.#table = new RouteTable();
    this.#lines = new Lines(options, (visit, reason) => {
      this.#refuse(visit, reason);
    }, ledger.isLost);
  }

  // The number of waiting requests.
  get size() {
    return this.#lines.size;
  }

  // Fulfils with whether `run` was called. Throws the error of classify().
  admit(request, response, run) {
    // A middleware may be in use twice. The request would wait for a room that it has itself.
    if (admissionOf(response) === this || observerOf(response)?.admission === this) {
      return goOn(run);
    }
    this.#asked = 'observe';
    if (this.#observes?.(request) === true) {
      const observed = this.#toObserved(request, response);
      continueWhenRead(request, response);
      return goOn(() => observed.run(run));
    }
    const members = this.#classOf(request, now());
    return new Promise((resolve, reject) => {
      const visit = new Visit(this, members, request, response, run, resolve, reject);
      const caller = callerOn(request.socket);
      if (caller?.isRunning) {
        visit.pass(members, caller);
        return;
      }
      const time = now();
      if (this.#table !== undefined) this.#estimate.measure(time);
      this.#pause.arrive(time);
      const reason = this.#arrive(visit, time);
      if (reason === undefined) {
        visit.wait(members);
        this.dispatch();
        this.#watch();
      } else {
        this.#refuse(visit, reason);
      }
    });
  }

  // Only observes a request: calls `run` at once, and returns its result. Calls `ended(used)` with
  // its thread time in ms.
  observe(request, response, run, ended = undefined) {
    return this.#toObserved(request, response).run(run, ended);
  }

  #toObserved(request, response) {
    const time = now();
    this.#estimate.measure(time);
    const members = this.#classOf(request, time);
    const observed = new Observed(this, members, request, response);
    const counts = this.#counts[observed.priority];
    counts.observed++;
    this.#observing++;
    observed.wouldRefuse = this.#isHeapExceeded(observed, time) ||
      this.#estimate.arrive(observed, time);
    this.#table?.begin(observed);
    this.#follow();
    return observed;
  }

  // The code of an observed request has run for so many ms.
  observedUse(observed, time) {
    this.#counts[observed.priority].threadTime += time;
    if (observed.isLate) this.#table?.addLate(observed, time);
  }

  // Its response has finished or closed.
  observedEnd(observed, request, outcome) {
    const time = now();
    this.#observing--;
    const isLate = this.#estimate.learn(observed, outcome.wait, time);
    const wouldRefuse = observed.wouldRefuse || isLate;
    if (wouldRefuse) this.#counts[observed.priority].wouldRefuse++;
    this.#table?.end(observed, request, { ...outcome, wouldRefuse }, time);
    this.#follow();
  }

  #isHeapExceeded({ priority }, time) {
    return priority !== 'user-blocking' && this.#heap?.isExceeded(time) === true;
  }

  #arrive(visit, time) {
    if (this.#isHeapExceeded(visit, time)) return 'heap';
    return drainRefuses(visit.priority, false) ? 'draining' : this.#lines.arrive(visit, time);
  }

  // As admit(), but answers 500 if classify() throws.
  handle(request, response, run) {
    try {
      return this.admit(request, response, run);
    } catch (error) {
      this.#warn(this.#asked, error);
      answerFailed(request, response);
      return Promise.resolve(false);
    }
  }

  // Returns the priority of a request that arrives, its route, the label of its task, its fairness
  // key and its weight.
  #classOf(request, time) {
    const classify = this.#classify;
    this.#asked = 'classify';
    const priority = classify === undefined ? 'user-visible' : toClass(classify(request));
    const route = this.#table?.nameOf(request, time);
    this.#asked = 'label';
    const label = toLabel(this.#labelOf?.(request)) ?? route;
    if (this.#keyOf === undefined) return { priority, label, route };
    this.#asked = 'fairnessKey';
    const fairnessKey = toKey(this.#keyOf === ROUTE ? route : this.#keyOf(request));
    this.#asked = 'fairnessWeight';
    const fairnessWeight = toWeight(this.#weightOf?.(fairnessKey));
    return { priority, label, fairnessKey, fairnessWeight, route };
  }

  // Posts the oldest requests of the first priority that has any, as far as there is room.
  dispatch() {
    const priority = this.#lines.first;
    if (priority === undefined || this.#pause.isUnderWay) return;
    const waiting = this.#lines.of(priority);
    const time = now();
    const room = Math.min(this.#room(priority, time), MOST_POSTED);
    while (waiting.hasNext && room > waiting.posted) waiting.next(time).post();
    // Where `maxRunning` is what they wait for, the end of a response calls this again.
    const next = this.#limit.next(priority);
    if (next >= time) this.#wakeAt(next);
  }

  // The most requests that may run if one of a priority is to start.
  #mostOf(priority) {
    if (priority !== 'user-blocking') return this.#maxRunning;
    return this.#maxRunning + Math.max(1, Math.trunc(this.#maxRunning / 10));
  }

  // The number of requests that may start.
  #room(priority, time) {
    return Math.min(this.#mostOf(priority) - this.#running, this.#limit.roomFor(priority, time));
  }

  // Refuses requests in time even if no other request arrives or starts.
  #watch() {
    this.#follow();
    this.#wakeAt(this.#lines.deadline);
  }

  // Follows callbacks while keys with more work than time have to be told apart, and while a thread
  // that observes, or tells routes apart, is busy: what computes in one callback and answers in
  // another one would be charged to nobody.
  #follow() {
    const isNeeded = this.#lines.isContended || (this.#estimate.isBusy && this.#hasBegun);
    if (isNeeded === (this.#unfollow !== undefined)) return;
    this.#unfollow?.();
    this.#unfollow = isNeeded ? ledger.follow() : undefined;
  }

  // Whether the code of requests may run.
  get #hasBegun() {
    return this.#observing > 0 || this.#running > 0;
  }

  get #running() {
    return PRIORITIES.reduce((sum, each) => sum + this.#counts[each].running, 0);
  }

  #wakeAt(deadline) {
    if (deadline >= this.#alarm) return;
    clearTimer(this.#timer);
    this.#alarm = deadline;
    const delay = Math.max(deadline - now(), 0) + 1;
    this.#timer = setTimer(() => {
      this.#alarm = Infinity;
      this.#lines.refuseLate(now());
      this.dispatch();
      this.#watch();
    }, delay);
    this.#timer.unref();
  }

  // The task of a visit has started. Returns whether the visit starts; otherwise it waits again, or
  // was refused.
  tryStart(visit) {
    const { priority } = visit;
    const queue = this.#lines.of(priority);
    const time = now();
    const isFirst = priority === this.#lines.first && queue.isNext(visit, time);
    if (!isFirst || this.#pause.isUnderWay || this.#room(priority, time) <= 0) {
      queue.waitAgain(visit, time);
      this.dispatch();
      return false;
    }
    this.#startedAt = time;
    const reason = queue.start(visit, time);
    if (reason !== undefined) {
      this.#refuse(visit, reason);
      this.dispatch();
      return false;
    }
    this.#limit.started(visit, time);
    this.#table?.begin(visit);
    this.#counts[priority].admit(time - visit.arrivedAt);
    return true;
  }

  // The listener of a started visit has returned.
  ran() {
    const time = now();
    this.#pause.begin(time, time - this.#startedAt);
    this.dispatch();
  }

  // The continuations of a started visit have waited for `raiseAfter`.
  raised(visit) {
    this.#counts[visit.priority].raised++;
  }

  // A visit starts that takes the place of the request that waits for it.
  passed(visit) {
    this.#table?.begin(visit);
  }

  // Its code, or that of any other visit, has run for so many ms.
  usedBeside(visit, time) {
    visit.longest = Math.max(visit.longest, time);
    this.#counts[visit.priority].threadTime += time;
  }

  // The code of a started visit has run for so many ms.
  charged(visit, time) {
    const { ahead } = visit;
    this.usedBeside(visit, time);
    this.#lines.of(visit.priority).charge(visit, time);
    this.#limit.used(visit, time, ahead);
  }

  // The response of a started visit has finished or closed.
  ended(visit) {
    const { priority } = visit;
    const time = now();
    this.#limit.ended(visit, time);
    this.#lines.of(priority).settle(visit, time);
    this.#counts[priority].running--;
    this.noteEnd(visit, time);
    this.#pause.ended(time);
    this.dispatch();
    this.#follow();
  }

  // The row of a visit that has ended.
  noteEnd(visit, time) {
    const { isAborted: hasLeft, request, startedAt, arrivedAt } = visit;
    const wait = startedAt - arrivedAt;
    this.#table?.end(visit, request, { wait, hasLeft, wouldRefuse: false }, time);
  }

  // A visit has left, 'left' or 'withdrawn', and is not answered here.
  left(visit, outcome) {
    const { priority } = visit;
    this.#lines.of(priority).remove(visit, now());
    this.#counts[priority][outcome]++;
    this.dispatch();
    requestLeft();
  }

  // Refuses the visits that drain() refuses.
  refuseForDrain() {
    this.#lines.refuseAll('draining', now(), (visit) => {
      return drainRefuses(visit.currentPriority, visit.isPosted);
    });
    this.dispatch();
  }

  #refuse(visit, reason) {
    this.#counts[visit.priority].refused[reason]++;
    this.#table?.refused(visit.route);
    visit.isBeyondShare = this.#lines.of(visit.priority).isBeyondShare(visit.key);
    visit.refuse(reason);
    requestLeft();
  }

  // Answers a refused request. Returns a promise if the application's refuse() does. If refuse()
  // fails, the client gets the default answer.
  answer(request, response, reason, isBeyondShare) {
    const { status, shareStatus, headers } = this.#refusal;
    const usual = { status: isBeyondShare ? shareStatus : status, headers };
    const refuse = this.#ownRefuse;
    if (refuse === undefined) {
      answerBusy(request, response, usual);
      return undefined;
    }
    const failed = (error) => {
      this.#warn('refuse', error);
      answerBusy(request, response, usual);
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

  endedRoutes() {
    return this.#table?.ended() ?? [];
  }

  routes() {
    return this.#table?.read() ?? [];
  }

  read() {
    return toCounts(this.#counts, (priority) => ({
      queued: this.#lines.of(priority).size, maxRunning: this.#mostOf(priority),
    }));
  }
}

async function goOn(run) {
  await run();
  return true;
}

// The message and the stack of a thrown value of any type.
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
  return exposed(admissionWith(options));
}

function admissionWith(options) {
  const checked = toOptions(options);
  return isAdmissionOff() ? new PassThrough() : new Admission(checked);
}

function exposed(admission) {
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
    routes: () => admission.routes(),
  };
}

module.exports = { admissionWith, createAdmission };

'use strict';

// requestIdleCallback() and cancelIdleCallback(). Keeps idle callbacks until they run or are
// cancelled; the event loop decides when it is idle.
// Source: "Cooperative Scheduling of Background Tasks".

const {
  IDLE_QUEUE,
  Internal,
  ask,
  finishRemoval,
  fixedQueue,
  remove,
} = require('../loop/event-loop.js');
const { defineInspect } = require('../webidl/inspect.js');
const { TaskResource } = require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const { ASK } = require('../loop/protocol.js');
const { now } = require('../loop/time.js');
const { enter, fixedState } = require('./scheduling-state.js');
const webidl = require('../webidl/conversions.js');

const REQUEST = "'requestIdleCallback'";
const CALLBACK = new webidl.Parameter(REQUEST, 'the argument callback');
const OPTIONS = new webidl.Parameter(REQUEST, 'the argument options');
const MEMBERS = { ref: Boolean, timeout: webidl.toUnsignedLong };
const HANDLE = new webidl.Parameter("'cancelIdleCallback'", 'the argument handle');

// The maximum length of an idle period in milliseconds, so that the loop stays responsive.
const LONGEST_PERIOD = 50;

const MAX_HANDLE = 0xffffffff;

const TOKEN = Symbol('IdleDeadline');

const requests = new Map();
let lastHandle = 0;

let isDeadline;
let check;

class IdleDeadline {
  #didTimeout;
  #ends;

  constructor() {
    if (arguments[0] !== TOKEN) {
      throw webidl.illegalConstructor('IdleDeadline', 'An idle callback gets one as its argument.');
    }
    this.#didTimeout = arguments[1];
    this.#ends = now() + LONGEST_PERIOD;
  }

  get didTimeout() {
    check(this, 'didTimeout');
    return this.#didTimeout;
  }

  timeRemaining() {
    check(this, 'timeRemaining');
    if (this.#didTimeout) return 0;
    const left = this.#ends - now();
    return left > 0 ? Math.min(left, ask(ASK.TIME_TO_NEXT)) : 0;
  }

  static {
    ({ is: isDeadline, check } = webidl.brand('IdleDeadline', (value) => #didTimeout in value));
  }
}

webidl.defineInterface(IdleDeadline, ['didTimeout', 'timeRemaining']);

defineInspect(IdleDeadline, (deadline) => {
  return isDeadline(deadline) ? { didTimeout: deadline.didTimeout } : undefined;
});

class IdleResource extends TaskResource {
  isWaiting = true;

  constructor() {
    super('IdleCallback');
  }

  // See SchedulerTask.
  hasRef() {
    return this.isWaiting;
  }

  unref() {
    this.hasRef = () => false;
  }
}

function requestIdleCallback(callback, options = undefined) {
  webidl.toFunction(callback, CALLBACK);
  const { ref: isReferenced = true, timeout = 0 } =
    webidl.readMembers(options, OPTIONS, MEMBERS);
  // The callback is cancelled immediately.
  if (observers.drain !== undefined) return nextHandle();
  const request = {
    handle: nextHandle(),
    callback,
    resource: new IdleResource(),
    idle: undefined,
    // The user-visible task that runs the callback after its timeout.
    late: undefined,
  };
  requests.set(request.handle, request);
  request.idle = new Internal(() => start(request, false));
  if (!isReferenced) request.resource.unref();
  request.idle.post(IDLE_QUEUE, 0, isReferenced);
  if (timeout > 0) {
    request.late = new Internal(() => start(request, true));
    request.late.post(fixedQueue('user-visible', false), timeout, isReferenced);
  }
  return request.handle;
}

function cancelIdleCallback(handle) {
  if (arguments.length === 0) throw HANDLE.error('given', handle);
  const request = requests.get(webidl.toUnsignedLong(handle, HANDLE));
  if (request !== undefined) withdraw(request);
}

function cancelAll() {
  for (const request of requests.values()) withdraw(request);
}

function nextHandle() {
  do {
    lastHandle = lastHandle === MAX_HANDLE ? 1 : lastHandle + 1;
  } while (requests.has(lastHandle));
  return lastHandle;
}

function withdraw(request) {
  requests.delete(request.handle);
  request.resource.isWaiting = false;
  remove(request.idle);
  if (request.late !== undefined) remove(request.late);
  finishRemoval();
}

function start(request, didTimeout) {
  withdraw(request);
  request.resource.runInAsyncScope(invoke, undefined, request.callback, didTimeout);
}

// Runs a callback. An error that it throws is an uncaught exception.
function invoke(callback, didTimeout) {
  enter(fixedState(undefined, 'background'));
  callback(new IdleDeadline(TOKEN, didTimeout));
}

module.exports = { IdleDeadline, cancelAll, cancelIdleCallback, requestIdleCallback };

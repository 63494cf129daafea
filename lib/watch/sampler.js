'use strict';

// Samples the main thread: another thread interrupts it now and then while it is busy, in the
// middle of whatever JavaScript runs, and has functions called there. They read the context of the
// running code from an AsyncLocalStorage, and need not follow callbacks and promises for it.
//
// V8 answers a request of the inspector between two instructions of JavaScript, and in most native
// code when that returns. A session is attached for one sample alone, and enables nothing: Node
// waits at the end of a process for sessions, and writes so.

const { isMainThread } = require('node:worker_threads');
const { shared } = require('./channels.js');
const { SHARED, mayStart, refusal, startThread } = require('./watching-thread.js');

// The mean time in ms between two samples.
const EVERY = 20;

// For how long in ms the end of the process waits for the session of a sample.
const PATIENCE = 1000;

// Those whose threads have not ended.
const samplers = new Set();

const word = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

class Sampler {
  users = new Set();
  #busy = word();
  #isAttached = word();
  #isEnded = word();

  constructor(every) {
    if (samplers.size === 0) process.on('exit', endAll);
    samplers.add(this);
    const worker = startThread(sampleThread, 'sampler', {
      busy: this.#busy, every, expression: `${SHARED}.sampler?.sample()`,
      isAttached: this.#isAttached, isEnded: this.#isEnded,
    });
    // Without the thread there are no samples.
    worker.on('error', () => {});
    worker.on('exit', () => {
      samplers.delete(this);
      if (samplers.size === 0) process.off('exit', endAll);
    });
  }

  // By so many users.
  addBusy(count) {
    if (Atomics.add(this.#busy, 0, count) === 0) Atomics.notify(this.#busy, 0);
  }

  // The inspector calls this.
  sample() {
    if (hasNoCaller(this.sample)) return;
    for (const { isBusy, take } of this.users) if (isBusy) take();
  }

  end() {
    Atomics.store(this.#isEnded, 0, 1);
    Atomics.notify(this.#isEnded, 0);
    this.addBusy(1);
  }

  // Inside of the wait this thread still answers.
  waitUntilDetached() {
    Atomics.wait(this.#isAttached, 0, 1, PATIENCE);
  }
}

// Whether only the inspector has called a function: the thread is idle, or between two microtasks.
function hasNoCaller(callee) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder = {};
  Error.stackTraceLimit = 2;
  Error.prepareStackTrace = (error, frames) => frames.length;
  Error.captureStackTrace(holder, callee);
  const { stack: depth } = holder;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  // The expression is one.
  return depth < 2;
}

function endAll() {
  for (const sampler of samplers) sampler.end();
  for (const sampler of samplers) sampler.waitUntilDetached();
}

// Calls `take()` every `every` ms, times between half and one and a half of it, in the middle of
// the code that runs, while the user is busy. It may interrupt any code, of the user too. Returns
// undefined where nothing can be sampled: on other hosts than Node, in a worker, and without the
// permissions. All users share one thread, at the pace of the first.
function startSampler(take, every = EVERY) {
  if (!isMainThread || refusal() !== undefined || !mayStart()) return undefined;
  const sampler = shared.sampler ??= new Sampler(every);
  const user = { isBusy: false, take };
  sampler.users.add(user);

  const setBusy = (isBusy) => {
    if (user.isBusy === isBusy || !sampler.users.has(user)) return;
    user.isBusy = isBusy;
    sampler.addBusy(isBusy ? 1 : -1);
  };

  const stop = () => {
    setBusy(false);
    if (!sampler.users.delete(user) || sampler.users.size > 0) return;
    shared.sampler = undefined;
    sampler.end();
  };

  return { setBusy, stop };
}

// The thread: see watching-thread.js.
function sampleThread() {
  const { Session } = require('node:inspector');
  const { workerData } = require('node:worker_threads');

  const { busy, every, expression, isAttached, isEnded } = workerData;

  // An answer does not keep the thread alive.
  const alive = setInterval(() => {}, 2 ** 31 - 1);
  setImmediate(pause);

  // Blocks this thread, which has nothing else to do, until the next sample.
  function pause() {
    do {
      const isIdle = Atomics.load(busy, 0) === 0;
      if (isIdle) Atomics.wait(busy, 0, 0);
      // How long the thread has been busy must not decide whether it is sampled.
      Atomics.wait(isEnded, 0, 0, every * (Math.random() + (isIdle ? 0 : 0.5)));
      if (Atomics.load(isEnded, 0) === 1) return clearInterval(alive);
    } while (Atomics.load(busy, 0) === 0);
    return ask();
  }

  function ask() {
    Atomics.store(isAttached, 0, 1);
    // At its end the other thread sets the one word before it reads the other.
    if (Atomics.load(isEnded, 0) === 1) return detach();
    const session = new Session();
    try {
      session.connectToMainThread();
    } catch {
      Atomics.store(isEnded, 0, 1);
      return detach();
    }
    return session.post('Runtime.evaluate', { expression, silent: true, returnByValue: true }, () => {
      session.disconnect();
      detach();
    });
  }

  function detach() {
    Atomics.store(isAttached, 0, 0);
    Atomics.notify(isAttached, 0);
    setImmediate(pause);
  }
}

module.exports = { startSampler };

'use strict';

// Samples the main thread: another thread interrupts it now and then while it is busy, in the
// middle of whatever JavaScript runs, and has functions called there. They read the context of the
// running code from an AsyncLocalStorage, and need not follow callbacks and promises for it.
//
// V8 answers a request of the inspector between two instructions of JavaScript, and in most native
// code when that returns. A session is attached for one sample alone, and enables nothing: Node
// waits at the end of a process for sessions, and writes so.

const { isMainThread } = require('node:worker_threads');
const { aroundKill } = require('../loading/undocumented.js');
const { isSimulated } = require('../loop/time.js');
const { shared } = require('./channels.js');
const { SHARED, mayStart, refusal, startThread } = require('./watching-thread.js');

// The mean time in ms between two samples.
const EVERY = 20;

// The same while the port of the inspector is open. Its clients would see each sample as a script,
// so the thread takes none then, and only looks whether the port was closed.
const EVERY_WHEN_INSPECTED = 1000;

// For how long in ms the end of the process waits for the session of a sample.
const PATIENCE = 1000;

// The states of a thread, in a shared word: it may sample, waits, or ends.
const RUNS = 0;
const HELD = 1;
const ENDED = 2;

// The samplers whose threads have not ended, and the function that ends watchEnd().
const samplers = new Set();
let unwatchEnd;

const word = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

class Sampler {
  users = new Set();
  #inspector = require('node:inspector');
  #busy = word();
  #isAttached = word();
  #state = word();

  constructor(every) {
    if (samplers.size === 0) unwatchEnd = watchEnd();
    samplers.add(this);
    const worker = startThread(sampleThread, 'sampler', {
      busy: this.#busy, every, everyWhenInspected: EVERY_WHEN_INSPECTED,
      expression: `${SHARED}.sampler?.sample()`, isAttached: this.#isAttached, state: this.#state,
    });
    // Without the thread there are no samples.
    worker.on('error', () => {});
    worker.on('exit', () => {
      samplers.delete(this);
      if (samplers.size === 0) unwatchEnd();
    });
  }

  // By so many users.
  addBusy(count) {
    if (Atomics.add(this.#busy, 0, count) === 0) Atomics.notify(this.#busy, 0);
  }

  // The inspector calls this. Returns whether its port is open.
  sample() {
    const isInspected = this.#inspector.url() !== undefined;
    if (!isInspected && !hasNoCaller(this.sample)) {
      for (const { isBusy, take } of this.users) if (isBusy) take();
    }
    return isInspected;
  }

  // Waits until no session is attached. The waiting thread still answers.
  hold(state) {
    this.#change(state);
    Atomics.wait(this.#isAttached, 0, 1, PATIENCE);
  }

  release() {
    this.#change(RUNS);
  }

  end() {
    this.#change(ENDED);
    this.addBusy(1);
  }

  #change(state) {
    if (Atomics.load(this.#state, 0) === ENDED) return;
    Atomics.store(this.#state, 0, state);
    Atomics.notify(this.#state, 0);
  }
}

// No session is attached when the process ends, or kills itself.
function watchEnd() {
  const onExit = () => {
    for (const sampler of samplers) sampler.hold(ENDED);
  };
  process.on('exit', onExit);
  const endCalls = aroundKill((kill) => {
    for (const sampler of samplers) sampler.hold(HELD);
    const result = kill();
    for (const sampler of samplers) sampler.release();
    return result;
  });
  return () => {
    process.off('exit', onExit);
    endCalls();
  };
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

// Calls `take()` every `every` ms, times between half and one and a half of it, in the middle of
// the code that runs, while the user is busy. It may interrupt any code, of the user too. Returns
// undefined where nothing can be sampled: on other hosts than Node, in a worker, without the
// permissions, and under a test scheduler. All users share one thread, at the pace of the first.
function startSampler(take, every = EVERY) {
  if (!isMainThread || !process.features.inspector || isSimulated()) return undefined;
  if (refusal() !== undefined || !mayStart()) return undefined;
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

  const { busy, every, everyWhenInspected, expression, isAttached, state } = workerData;
  const RUNS = 0;
  const ENDED = 2;

  let isInspected = false;

  // An answer does not keep the thread alive.
  const alive = setInterval(() => {}, 2 ** 31 - 1);
  setImmediate(pause);

  // Blocks this thread, which has nothing else to do, until the next sample.
  function pause() {
    do {
      const isIdle = Atomics.load(busy, 0) === 0;
      if (isIdle) Atomics.wait(busy, 0, 0);
      // How long the thread has been busy must not decide whether it is sampled.
      const mean = isInspected ? everyWhenInspected : every;
      Atomics.wait(state, 0, RUNS, mean * (Math.random() + (isIdle ? 0 : 0.5)));
      if (Atomics.load(state, 0) === ENDED) return clearInterval(alive);
    } while (Atomics.load(busy, 0) === 0);
    return ask();
  }

  function ask() {
    Atomics.store(isAttached, 0, 1);
    // The other thread changes its word before it reads that of this one.
    if (Atomics.load(state, 0) !== RUNS) return detach();
    const session = new Session();
    try {
      session.connectToMainThread();
    } catch {
      Atomics.store(state, 0, ENDED);
      return detach();
    }
    const evaluated = { expression, silent: true, returnByValue: true };
    return session.post('Runtime.evaluate', evaluated, (error, { result } = {}) => {
      isInspected = result?.value === true;
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

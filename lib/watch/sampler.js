'use strict';

// Samples the main thread: another thread interrupts it in the middle of whatever JavaScript runs,
// and has functions called there. Some read the context of the running code from an
// AsyncLocalStorage, now and then while the thread is busy, and need not follow callbacks and
// promises for it. Others read the stack, while a callback blocks the thread.
//
// V8 answers a request of the inspector between two instructions of JavaScript, and in most native
// code when that returns. A session is attached for one sample alone, and enables nothing: Node
// waits at the end of a process for sessions, and writes so.
//
// The other thread sees a block by how long the loop has not slept since the end of its last turn.
// It reads that through the addon. Without the addon, the thread says at the end of each turn by
// when it will have turned again at the latest: a timer wakes a loop that sleeps, seldom while
// nothing has blocked it. What is late is blocked.

const { isMainThread } = require('node:worker_threads');
const { aroundKill } = require('../loading/undocumented.js');
const {
  NANOSECONDS_PER_MILLISECOND, clearTimer, idleTime, isSimulated, now, setTimer,
} = require('../loop/time.js');
const { contexts, shared } = require('./channels.js');
const { SHARED, mayStart, refusal, startThread } = require('./watching-thread.js');

// The mean time in ms between two samples of the context.
const EVERY = 20;

// The same while the port of the inspector is open. Its clients would see each sample as a script,
// so the thread takes none then, and only looks whether the port was closed.
const EVERY_WHEN_INSPECTED = 1000;

// Stacks are read from this age of a block on, in ms, and then again after so long or this part of
// its age. They take at most this part of the time, with so much in advance, or late: on a machine
// that stands still, one stack may seem to take long.
const FROM = 20;
const AGAIN = 10;
const GROWTH = 0.02;
const COST = 0.02;
const MOST_COST = 50;

// What the inspector takes for a stack, in ms, beside the reading itself.
const SESSION = 0.25;

// How often in ms the other thread looks at a loop that sleeps: for so long after a block, in ms,
// and later.
const LOOKS = { often: 25, alert: 10_000, seldom: 50 };

// The period of the timer in ms: while a turn was longer than FROM a while ago, in ms, and up
// to which it doubles otherwise.
const LEAST_PERIOD = 25;
const MOST_PERIOD = 100;
const ALERT = 10_000;

// For how long in ms the end of the process waits for the session of a sample.
const PATIENCE = 1000;

// The maximum number of frames of a stack.
const MOST_FRAMES = 250;

// The indexes of the shared words. STATE: the thread may sample, waits, or ends. BUSY: the number
// of users whose contexts are wanted. IDLE: whether the other thread reads the idle time, which it
// does unless it cannot. BEAT: the number of turns. DUE: how long the loop had not slept at the end
// of the last one, or when the next beat is due, in tenths of ms. SPENT: how long stacks have
// taken, in µs.
const WORDS = {
  STATE: 0, BUSY: 1, ATTACHED: 2, WATCHED: 3, IDLE: 4, BEAT: 5, DUE: 6, ASKED: 7, SPENT: 8,
};
const { STATE, BUSY, ATTACHED, WATCHED, IDLE, BEAT, DUE, ASKED, SPENT } = WORDS;
const RUNS = 0;
const HELD = 1;
const ENDED = 2;

// What an answer says: the port of the inspector is open, and no code was running.
const INSPECTED = 1;
const EMPTY = 2;

const TENTHS = 10;

// The samplers whose threads have not ended, and the function that ends watchEnd().
const samplers = new Set();
let unwatchEnd;

class Sampler {
  users = new Set();
  // Each gets the stacks of what blocks the thread.
  readers = new Set();
  #inspector = require('node:inspector');
  #words = new Int32Array(new SharedArrayBuffer(
    Object.keys(WORDS).length * Int32Array.BYTES_PER_ELEMENT));
  // In ms: the end of the last turn, with the idle time by then, and of the alert.
  #turnedAt = now();
  #idle = 0;
  #alertUntil = 0;
  #timer;
  #timerDue = 0;
  #period = LEAST_PERIOD;

  constructor(every) {
    if (samplers.size === 0) unwatchEnd = watchEnd();
    samplers.add(this);
    const addon = contexts()[0].shareIdleTime();
    // From the start on: in a process that has idled for an hour, a DUE without the idle time would
    // be due in an hour.
    if (addon !== undefined) this.#words[IDLE] = 1;
    const worker = startThread(sampleThread, 'sampler', {
      every, everyWhenInspected: EVERY_WHEN_INSPECTED,
      expression: `${SHARED}.sampler?.sample`, index: WORDS, words: this.#words,
      from: FROM, again: AGAIN, growth: GROWTH, cost: COST, mostCost: MOST_COST, looks: LOOKS,
      addon,
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
    if (Atomics.add(this.#words, BUSY, count) === 0) Atomics.notify(this.#words, BUSY);
  }

  // The inspector calls this.
  sample() {
    if (this.#inspector.url() !== undefined) return INSPECTED;
    if (framesAbove(this.sample, 2).length < 2) return EMPTY;
    for (const { isBusy, take } of this.users) if (isBusy) take();
    return 0;
  }

  // The inspector calls this while a callback blocks the thread.
  sampleStack() {
    if (this.#inspector.url() !== undefined) return INSPECTED;
    const time = now();
    const frames = framesAbove(this.sampleStack, MOST_FRAMES);
    // The first one is the expression.
    const isEmpty = frames.length < 2;
    const waited = (toTenths(time) - Atomics.load(this.#words, ASKED) | 0) / TENTHS;
    if (!isEmpty) for (const read of this.readers) read(frames.slice(1), time, waited);
    Atomics.add(this.#words, SPENT, (now() - time + SESSION) * 1e3);
    return isEmpty ? EMPTY : 0;
  }

  addReader(read) {
    this.readers.add(read);
    if (this.readers.size > 1) return;
    this.#alertUntil = now() + ALERT;
    if (this.#isIdleRead) this.#publish(now() - idleTime() / NANOSECONDS_PER_MILLISECOND);
    else this.#beat();
    Atomics.store(this.#words, WATCHED, 1);
    Atomics.notify(this.#words, BUSY);
  }

  removeReader(read) {
    this.readers.delete(read);
    if (this.readers.size > 0) return;
    Atomics.store(this.#words, WATCHED, 0);
    this.#endTimer();
  }

  // Whether the other thread reads the idle time.
  get #isIdleRead() {
    return Atomics.load(this.#words, IDLE) === 1;
  }

  #endTimer() {
    clearTimer(this.#timer);
    this.#timer = undefined;
  }

  // A turn of the loop has ended, at this time in ms, with this idle time. A loop that did not
  // sleep in it will hardly sleep in the next.
  turned(time, idle) {
    const length = time - this.#turnedAt;
    // Another reader has said so.
    if (length === 0) return;
    this.#turnedAt = time;
    const slept = idle - this.#idle;
    this.#idle = idle;
    if (this.#isIdleRead) {
      this.#publish(time - idle);
      return;
    }
    // The other thread could not read the idle time.
    if (this.#timer === undefined) {
      this.#beat();
      return;
    }
    if (length - slept > FROM) {
      this.#alertUntil = time + ALERT;
      if (this.#period > LEAST_PERIOD) this.#setTimer(LEAST_PERIOD);
    }
    this.#publish(slept > 0 ? Math.max(this.#timerDue, time) : time);
  }

  #publish(due) {
    Atomics.store(this.#words, DUE, toTenths(due));
    Atomics.add(this.#words, BEAT, 1);
  }

  #beat() {
    this.#setTimer(now() < this.#alertUntil ? LEAST_PERIOD : 2 * this.#period);
    this.#publish(this.#timerDue);
  }

  #setTimer(period) {
    this.#period = Math.min(period, MOST_PERIOD);
    clearTimer(this.#timer);
    this.#timer = setTimer(() => this.#beat(), this.#period).unref();
    this.#timerDue = now() + this.#period;
  }

  // Waits until no session is attached. The waiting thread still answers.
  hold(state) {
    this.#change(state);
    Atomics.wait(this.#words, ATTACHED, 1, PATIENCE);
  }

  release() {
    this.#change(RUNS);
  }

  end() {
    this.#change(ENDED);
    this.addBusy(1);
  }

  #change(state) {
    if (Atomics.load(this.#words, STATE) === ENDED) return;
    Atomics.store(this.#words, STATE, state);
    Atomics.notify(this.#words, STATE);
  }
}

// Both threads have this clock. The number wraps.
const toTenths = (ms) => Math.floor(ms * TENTHS) | 0;

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

// The callers of a function. If only the inspector has called it, there is one, the expression: the
// thread is idle, or between two microtasks. In the middle of a prepareStackTrace() of the program,
// V8 calls no other one, and there are none.
function framesAbove(callee, limit) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder = {};
  let frames = [];
  Error.stackTraceLimit = limit;
  Error.prepareStackTrace = (error, all) => {
    frames = all;
  };
  Error.captureStackTrace(holder, callee);
  // V8 makes the stack when it is read.
  Reflect.get(holder, 'stack');
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return frames;
}

// Whether this thread can be sampled: not on other hosts than Node, in a worker, without the
// permissions, and under a test scheduler.
function canSample() {
  if (!isMainThread || !process.features.inspector || isSimulated()) return false;
  return refusal() === undefined && mayStart();
}

// All users share one thread, at the rate of the first.
function theSampler(every = EVERY) {
  return shared.sampler ??= new Sampler(every);
}

function endIfUnused(sampler) {
  if (sampler.users.size + sampler.readers.size > 0) return;
  shared.sampler = undefined;
  sampler.end();
}

// Calls `take()` every `every` ms, times between half and one and a half of it, in the middle of
// the code that runs, while the user is busy. It may interrupt any code, of the user too. Returns
// undefined where nothing can be sampled.
function startSampler(take, every) {
  if (!canSample()) return undefined;
  const sampler = theSampler(every);
  const user = { isBusy: false, take };
  sampler.users.add(user);

  const setBusy = (isBusy) => {
    if (user.isBusy === isBusy || !sampler.users.has(user)) return;
    user.isBusy = isBusy;
    sampler.addBusy(isBusy ? 1 : -1);
  };

  const stop = () => {
    setBusy(false);
    if (sampler.users.delete(user)) endIfUnused(sampler);
  };

  return { setBusy, stop };
}

// Calls `read(frames, time, waited)` while a callback blocks the thread: the call sites, the
// innermost first, the time in ms, and how long the answer has taken. The caller says when turns
// of the loop end.
function readBlocks(read) {
  const sampler = theSampler();
  sampler.addReader(read);
  return {
    turned: (time, idle) => sampler.turned(time, idle),
    stop() {
      sampler.removeReader(read);
      endIfUnused(sampler);
    },
  };
}

// The thread: see watching-thread.js.
function sampleThread() {
  const { Session } = require('node:inspector');
  const { workerData } = require('node:worker_threads');

  const { every, everyWhenInspected, expression, index, words } = workerData;
  const { from, again, growth, cost, mostCost, looks, addon } = workerData;
  const { STATE, BUSY, ATTACHED, WATCHED, IDLE, BEAT, DUE, ASKED, SPENT } = index;
  const RUNS = 0;
  const ENDED = 2;
  const INSPECTED = 1;
  const EMPTY = 2;
  const TENTHS = 10;

  // The longest pause in ms before a stack that was empty is asked for again, and the shortest.
  const PAUSE = 5;
  const LEAST = 1;

  // Undefined without the addon.
  const readIdleTime = findIdleTime();

  let isInspected = false;
  // When the next context is wanted, in ms; undefined while nobody is busy.
  let contextAt;
  // The block under way, and its age for the next stack.
  let beat;
  let next = from;
  // What stacks may take now, in ms.
  let credit = mostCost;
  let spent = 0;
  let lookedAt = now();
  let blockedAt = -Infinity;
  // How old the block was then, and whether the loop has slept before.
  let age = 0;
  let slept = false;

  // An answer does not keep the thread alive.
  const alive = setInterval(() => {}, 2 ** 31 - 1);
  setImmediate(pause);

  function now() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  }

  function toTenths(ms) {
    return Math.floor(ms * TENTHS) | 0;
  }

  function findIdleTime() {
    if (addon === undefined) return undefined;
    const module = { exports: {} };
    try {
      process.dlopen(module, addon);
      return module.exports.readIdleTime;
    } catch {
      Atomics.store(words, IDLE, 0);
      return undefined;
    }
  }

  // Blocks this thread, which has nothing else to do, until the next sample.
  function pause() {
    for (;;) {
      const isWatched = Atomics.load(words, WATCHED) === 1;
      const untilStack = isWatched ? Math.max(LEAST, timeToStack()) : Infinity;
      if (Atomics.load(words, BUSY) === 0) {
        Atomics.wait(words, BUSY, 0, untilStack);
        contextAt = undefined;
      } else {
        // How long the thread has been busy must not decide whether it is sampled.
        contextAt ??= now() + meanPause() * Math.random();
        Atomics.wait(words, STATE, RUNS, Math.min(untilStack, Math.max(0, contextAt - now())));
      }
      if (Atomics.load(words, STATE) === ENDED) return clearInterval(alive);
      if (Atomics.load(words, STATE) !== RUNS) continue;
      if (isWatched && timeToStack() <= 0) return askForStack();
      if (contextAt <= now() && Atomics.load(words, BUSY) > 0) return askForContext();
    }
  }

  function meanPause() {
    return isInspected ? everyWhenInspected : every;
  }

  // In ms; a loop that turns or sleeps is not blocked.
  function timeToStack() {
    look();
    const untilDue = Math.max(next - age, -credit / cost);
    // Most of the time was slept. The loop may have woken up since.
    if (!slept) return untilDue;
    return age < LEAST ? pauseOfLooks() : Math.max(PAUSE, Math.min(untilDue, looks.often));
  }

  function pauseOfLooks() {
    return lookedAt - blockedAt < looks.alert ? looks.often : looks.seldom;
  }

  function look() {
    const time = now();
    const elapsed = time - lookedAt;
    if (elapsed < LEAST) return;
    lookedAt = time;
    const spentNow = Atomics.load(words, SPENT);
    credit += cost * elapsed - (spentNow - spent | 0) / 1e3;
    credit = Math.max(-mostCost, Math.min(mostCost, credit));
    spent = spentNow;
    const before = age;
    age = ageAt(time);
    const found = Atomics.load(words, BEAT);
    const hasTurned = found !== beat;
    if (hasTurned) next = from;
    beat = found;
    slept = readIdleTime !== undefined && !hasTurned && age - before < elapsed / 2;
  }

  function ageAt(time) {
    const idle = readIdleTime?.() ?? 0;
    // The loop has ended.
    if (idle < 0) return 0;
    return (toTenths(time - idle) - Atomics.load(words, DUE) | 0) / TENTHS;
  }

  function askForContext() {
    contextAt = now() + meanPause() * (Math.random() + 0.5);
    ask(`${expression}()`, () => {});
  }

  function askForStack() {
    blockedAt = now();
    Atomics.store(words, ASKED, toTenths(blockedAt));
    ask(`${expression}Stack()`, (answer) => {
      const reached = ageAt(now());
      const pause = isInspected ? everyWhenInspected : Math.max(again, reached * growth);
      next = reached + (answer & EMPTY ? PAUSE * Math.random() : pause);
    });
  }

  function ask(asked, answered) {
    Atomics.store(words, ATTACHED, 1);
    // The other thread changes its word before it reads that of this one.
    if (Atomics.load(words, STATE) !== RUNS) return detach();
    const session = new Session();
    try {
      session.connectToMainThread();
    } catch {
      Atomics.store(words, STATE, ENDED);
      return detach();
    }
    const evaluated = { expression: asked, silent: true, returnByValue: true };
    return session.post('Runtime.evaluate', evaluated, (error, { result } = {}) => {
      isInspected = (result?.value & INSPECTED) === INSPECTED;
      answered(result?.value);
      session.disconnect();
      detach();
    });
  }

  function detach() {
    Atomics.store(words, ATTACHED, 0);
    Atomics.notify(words, ATTACHED);
    setImmediate(pause);
  }
}

module.exports = { canSample, readBlocks, startSampler };

'use strict';

// The binding of the portable host: the functions of the addon, over the core as WebAssembly. Each
// binding is an instance of its own, with one event loop, and a driver that calls its hooks.
//
// A driver has these members:
//
//   now()                nanoseconds of a monotonic clock
//   isIoReady()          whether I/O is ready, as far as the host tells
//   isBusy()             whether something other than a task is runnable, likewise
//   setReferenced(is)    keeps the process alive, or lets it end
//   setAwake(is)         whether turns have to follow each other without sleep
//   setTimer(deadline)   calls hooks.timer() at this time in ns; a negative one removes the timer
//   setIsInTask(is)      a task starts, or its ticks and microtasks have run
//   beginQuestion()      code asks whether to yield
//   beginCheckpoint()    optional: a task may start at the end of a callback
//   requestTurn()        a turn has to come
//   connect(hooks)       receives the hooks, before any other call
//
// The shared words are copied at each call. A view of the module's memory would be detached when
// the memory grows, and later writes to it would be lost without an error.

const { Buffer } = require('node:buffer');
const { refusal } = require('../loading/refusal.js');
const {
  CODE_RANK,
  COUNT,
  END_OF_CHECK,
  ENTRIES,
  NO_TASK,
  NOTIFY_RANK,
  TIME_HIGH,
  TIME_LOW,
} = require('../loop/protocol.js');
const { withCode } = require('../webidl/error-code.js');

// The results of calls that the core refuses, as JavaScript reads them.
const REFUSED = -1;

// The compiled module, shared by all bindings of a thread.
let compiled;

function compile() {
  if (globalThis.WebAssembly === undefined) {
    throw refusal('the portable build needs WebAssembly, which is switched off.');
  }
  try {
    const bytes = Buffer.from(require('../../dist/core.wasm'), 'base64');
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw refusal(`its WebAssembly cannot be compiled: ${cause?.message}`, { cause });
  }
}

// A trap without a panic is an allocation that failed.
function asFault(cause) {
  if (!(cause instanceof WebAssembly.RuntimeError)) return cause;
  const error = new Error('uv-scheduler has no memory for its queues left', { cause });
  return withCode(error, 'ERR_UV_SCHEDULER_OUT_OF_MEMORY');
}

function createBinding(driver) {
  compiled ??= compile();
  let core;
  let memory;
  // Where the copy of the shared words is, and a view of it.
  let place;
  let copy;
  let words;

  const text = (address, length) => {
    const bytes = new Uint8Array(memory.buffer, address, length);
    return Buffer.from(bytes).toString('utf8');
  };

  const imports = {
    now: () => driver.now(),
    is_io_ready: () => (driver.isIoReady() ? 1 : 0),
    is_busy: () => (driver.isBusy() ? 1 : 0),
    set_referenced: (is) => driver.setReferenced(is !== 0),
    set_awake: (is) => driver.setAwake(is !== 0),
    set_timer: (deadline) => driver.setTimer(deadline),
    panicked: (address, length) => {
      throw new Error(`uv-scheduler has a fault: ${text(address, length)}`);
    },
  };

  try {
    core = new WebAssembly.Instance(compiled, { driver: imports }).exports;
    ({ memory } = core);
    core.start();
    place = core.words();
  } catch (cause) {
    throw refusal(`its WebAssembly cannot be started: ${cause?.message}`, { cause });
  }

  function view() {
    if (copy === undefined || copy.buffer !== memory.buffer) {
      copy = new Uint32Array(memory.buffer, place, words.length);
    }
    return copy;
  }

  // Copies the entries and the words of a question, if there are any.
  function copyIn() {
    const count = words[COUNT];
    const target = view();
    for (let i = COUNT; i < ENTRIES + 2 * count; i++) target[i] = words[i];
    words[COUNT] = 0;
  }

  function copyOut() {
    const source = view();
    words[NOTIFY_RANK] = source[NOTIFY_RANK];
    words[CODE_RANK] = source[CODE_RANK];
    words[TIME_LOW] = source[TIME_LOW];
    words[TIME_HIGH] = source[TIME_HIGH];
  }

  // The error after which the instance can no longer be used.
  let fault;

  // A function of the core. If it traps, as when the memory cannot grow, the core may have stopped
  // in the middle of a change, so it and all others throw from then on.
  function guarded(name) {
    const run = core[name];
    // Most take no argument, and none takes more; a list of arguments would cost more.
    return (first, second, third, fourth) => {
      if (fault !== undefined) throw fault;
      try {
        return run(first, second, third, fourth);
      } catch (cause) {
        fault = asFault(cause);
        throw fault;
      }
    };
  }

  // A function of the core that takes the entries and returns a number.
  function call(name) {
    const run = guarded(name);
    return (...args) => {
      copyIn();
      const result = run(...args);
      copyOut();
      return result;
    };
  }

  // The same without arguments, and without their cost.
  function callOnly(name) {
    const run = guarded(name);
    return () => {
      copyIn();
      const result = run();
      copyOut();
      return result;
    };
  }

  // The same for a function that can refuse.
  function attempt(name) {
    const run = call(name);
    return (...args) => {
      const result = run(...args);
      if (result === REFUSED) throw new Error(text(core.failure_text(), core.failure_length()));
      return result;
    };
  }

  // The same for a function that makes a list, which is copied.
  function list(name) {
    const run = call(name);
    return (...args) => {
      const length = run(...args);
      return new Float64Array(memory.buffer, core.list(), length).slice();
    };
  }

  const run = {};

  function compareNumbers(numbers) {
    for (let i = 0; i === 0 || core.protocol_number(i) >= 0; i++) {
      if (core.protocol_number(i) === numbers[i]) continue;
      throw refusal('its JavaScript and its WebAssembly are of different versions.');
    }
  }

  function start(calls, sharedWords, numbers) {
    words = sharedWords;
    compareNumbers(numbers);
    for (const [name, inCore] of Object.entries({
      postDelayed: 'post_delayed',
      postBounded: 'post_bounded',
      setQueuePriority: 'set_queue_priority',
      setKeyWeight: 'set_key_weight',
      holdFlow: 'hold_flow',
    })) {
      run[name] = attempt(inCore);
    }
    for (const [name, inCore] of Object.entries({
      chargeOutside: 'charge_outside',
      levelOfFlow: 'level_of_flow',
      forgetKey: 'forget_key',
      setTimeSlice: 'set_time_slice',
      setMaxWait: 'set_max_wait',
    })) {
      run[name] = call(inCore);
    }
    for (const [name, inCore] of Object.entries({
      listKeys: 'list_keys',
      listLevels: 'list_levels',
      listWaiting: 'list_waiting',
      countQueued: 'count_queued',
    })) {
      run[name] = list(inCore);
    }
    calls.flush = callOnly('flush');
    calls.finishRemoval = callOnly('finish_removal');
    calls.rankOfStarted = core.rank_of_started;
    const ask = callOnly('should_yield');
    calls.shouldYield = () => {
      driver.beginQuestion();
      return ask();
    };
    calls.expectEndOfCheck = () => driver.requestTurn();
    calls.readTime = () => {
      core.read_time();
      copyOut();
    };
    const next = callOnly('next_at_checkpoint');
    calls.nextAtCheckpoint = () => {
      driver.beginCheckpoint?.();
      const id = next();
      driver.setIsInTask(id !== NO_TASK);
      return id;
    };
    connect(calls);
    return 0;
  }

  function connect(calls) {
    driver.connect({
      prepare: callOnly('prepare'),
      beginCheck: callOnly('begin_check'),
      nextInCheck: callOnly('next_in_check'),
      endCheck: callOnly('end_check'),
      timer: callOnly('timer'),
      // Starts a task. The caller waits until its ticks and microtasks have run.
      run: calls.runTask,
      // Called behind each check phase.
      tidy() {
        if (words[END_OF_CHECK] === 0) return;
        words[END_OF_CHECK] = 0;
        calls.endCheck(NO_TASK);
      },
    });
  }

  // The environment, the first argument of each function, is the instance.
  return {
    start,
    postDelayed: (_, task, word, delay) => run.postDelayed(task, word, delay),
    postBounded: (_, task, word, delay, maxWait) => {
      return run.postBounded(task, word, delay, maxWait) === 1;
    },
    setQueuePriority: (_, queue, rank) => run.setQueuePriority(queue, rank) === 1,
    setKeyWeight: (_, key, weight) => run.setKeyWeight(key, weight),
    holdFlow: (_, flow, waits) => run.holdFlow(flow, waits),
    chargeOutside: (_, flow, rank, time) => {
      run.chargeOutside(flow === undefined ? 0 : flow + 1, rank, time);
    },
    levelOfFlow: (_, flow) => run.levelOfFlow(flow),
    forgetKey: (_, key) => run.forgetKey(key) === 1,
    listKeys: () => run.listKeys(),
    listLevels: (_, rank) => run.listLevels(rank),
    listWaiting: () => run.listWaiting(),
    countQueued: () => run.countQueued(),
    timeToNext: () => (driver.isIoReady() ? 0 : Infinity),
    setTimeSlice: (_, milliseconds) => run.setTimeSlice(milliseconds),
    setMaxWait: (_, userVisible, background) => run.setMaxWait(userVisible, background),
    // The host tells neither quotas nor neighbours, so background work is never held.
    setIdle: () => {},
    liftHold: () => {},
    readHeld: () => [0, 0, 0],
  };
}

module.exports = { createBinding };

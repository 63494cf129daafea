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

  // The length of a detached view is 0. Reading it takes less time than reading `memory.buffer`.
  function view() {
    if (copy === undefined || copy.length === 0) {
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
    // A list of arguments would cost more.
    return (first, second) => {
      if (fault !== undefined) throw fault;
      try {
        return run(first, second);
      } catch (cause) {
        fault = asFault(cause);
        throw fault;
      }
    };
  }

  // A function of the core that takes the entries.
  function call(name) {
    const run = guarded(name);
    return (first, second) => {
      copyIn();
      const result = run(first, second);
      copyOut();
      return result;
    };
  }

  function compareNumbers(numbers) {
    const isEqual = numbers.every((number, index) => number === core.protocol_number(index));
    if (isEqual && core.protocol_number(numbers.length) < 0) return;
    throw refusal('its JavaScript and its WebAssembly are of different versions.');
  }

  function start(calls, sharedWords, numbers) {
    compareNumbers(numbers);
    words = sharedWords;
    const flush = call('flush');
    const next = call('next_at_checkpoint');
    const advise = call('should_yield');
    Object.assign(calls, {
      flush() {
        const result = flush();
        if (words[END_OF_CHECK] !== 0) driver.requestTurn();
        return result;
      },
      nextAtCheckpoint() {
        driver.beginCheckpoint?.();
        const id = next();
        driver.setIsInTask(id !== NO_TASK);
        return id;
      },
      shouldYield() {
        driver.beginQuestion();
        return advise();
      },
      readTime() {
        core.read_time();
        copyOut();
      },
    });
    driver.connect({
      prepare: call('prepare'),
      beginCheck: call('begin_check'),
      nextInCheck: call('next_in_check'),
      endCheck: call('end_check'),
      timer: call('timer'),
      // Starts a task. The caller waits until its ticks and microtasks have run.
      run: calls.runTask,
      // Called behind each check phase.
      tidy() {
        if (words[END_OF_CHECK] === 0) return;
        words[END_OF_CHECK] = 0;
        calls.endCheck(NO_TASK);
      },
    });
    return 0;
  }

  const ask = call('ask');
  return {
    start,
    // The environment is the instance.
    ask(environment, question, about) {
      const length = ask(question, about);
      if (length < 0) return new Float64Array(memory.buffer, core.list(), 1)[0];
      return new Float64Array(memory.buffer, core.list(), length).slice();
    },
  };
}

module.exports = { createBinding };

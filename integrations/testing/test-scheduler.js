'use strict';

// createTestScheduler(): installs the scheduler of a test, and checks at its end that nothing is
// left.

const diagnostics = require('node:diagnostics_channel');
const { api, createBinding, internal } = require('./package.js');
const { TestClock } = require('./clock.js');
const { realImmediate } = require('./immediate.js');
const { toSeed } = require('./seeds.js');

const { ASK, RANK_OF, webidl, withCode } = internal;
const { expectMove, install, isDraining, isInstalled, listWaiting } = internal.substitute;

const CREATE = "'createTestScheduler'";
const OPTIONS = new webidl.Parameter(CREATE, 'the argument options');
const MEMBERS = {
  advanceTimers: webidl.toFunction,
  maxTasks: webidl.toNumberThat('a number above 0', (count) => count > 0),
  seed: toSeed,
};
const ADVANCE = new webidl.Parameter("'advance' on 'TestScheduler'", 'the argument ms');
const SPEND = new webidl.Parameter("'spend' on 'TestScheduler'", 'the argument ms');
const toTime = webidl.toNumberThat('a number from 0 to 2^53-1', (ms) => ms >= 0 && ms < 2 ** 53);
const FLUSH = new webidl.Parameter("'flush' on 'TestScheduler'", 'the argument priority');

const MAX_TASKS = 100_000;

// The rank of idle callbacks, the lowest one.
const LOWEST = 0;

const CHANNEL = 'uv-scheduler:task';

const inSeed = (seed) => (seed === undefined ? '' : ` (seed ${seed})`);
const quote = (label) => (label === '' ? 'a task without a label' : `'${label}'`);

// Names an entry that waits.
function nameOf({ entry, isInternal, label }) {
  if (isInternal) return 'an idle callback or drain()';
  const isContinuation = typeof entry === 'function' || entry.isContinuation;
  if (!isContinuation) return quote(label);
  return label === '' ? 'a continuation' : `a continuation of '${label}'`;
}

function describeEntry(waiting) {
  return `${nameOf(waiting)} is still ${waiting.isDelayed ? 'delayed' : 'queued'}`;
}

function describeRejection({ label, reason }) {
  const what = label === undefined ? 'a rejection' : `the rejection of ${quote(label)}`;
  return `${what} was not handled: ${reason?.message ?? String(reason)}`;
}

// Describes what is left at the end of a test.
function describe({ waiting, running }, unhandled) {
  return [
    ...waiting.map(describeEntry),
    ...running.map((label) => `${quote(label)} has not settled`),
    ...unhandled.map(describeRejection),
  ];
}

class TestScheduler {
  #clock;
  #uninstall;
  #seed;
  #trace = [];
  #unhandled = [];
  #unsubscribe = [];
  // The operation under way, which moves the clock.
  #operation;
  #isOver = false;

  constructor({ seed, maxTasks = MAX_TASKS, advanceTimers }) {
    this.#seed = seed;
    this.#clock = new TestClock({
      seed,
      maxTasks,
      advanceTimers,
      immediate: realImmediate(internal.time.setImmediate),
      explain: (text) => this.#error(this.#operation, text),
    });
    const binding = createBinding(this.#clock);
    this.#clock.use((lowest) => {
      const numbers = binding.ask(undefined, ASK.QUEUED);
      let sum = 0;
      for (let rank = lowest; 3 * rank < numbers.length; rank++) sum += numbers[3 * rank];
      return sum;
    });
    this.#observe();
    this.#uninstall = install(binding, this.#clock.source);
  }

  get now() {
    return this.#clock.milliseconds;
  }

  get seed() {
    return this.#seed;
  }

  get trace() {
    return [...this.#trace];
  }

  async advance(ms) {
    const time = webidl.toRequiredDelay(ms, ADVANCE);
    await this.#move('advance', () => this.#clock.advance(time));
  }

  spend(ms) {
    const time = toTime(ms, SPEND);
    if (this.#isOver) throw this.#stopped('spend');
    this.#clock.spend(time);
    expectMove();
  }

  async flush(priority = undefined) {
    const rank = priority === undefined ? LOWEST : RANK_OF[webidl.toPriority(priority, FLUSH)];
    await this.#move('flush', () => this.#clock.run(rank));
  }

  async runAll() {
    await this.#move('runAll', () => this.#clock.runAll());
  }

  stop = () => {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const end of this.#unsubscribe) end();
    const left = this.#uninstall(new DOMException('The test has ended', 'AbortError'));
    const lines = describe(left, this.#unhandled);
    if (lines.length > 0) throw this.#error('stop', lines.join('; '));
  };

  [Symbol.dispose]() {
    this.stop();
  }

  async #move(operation, run) {
    if (this.#isOver) throw this.#stopped(operation);
    if (this.#operation !== undefined) {
      throw this.#error(operation, `a call of '${this.#operation}' is under way: await it first`);
    }
    this.#operation = operation;
    this.#clock.begin();
    try {
      await run();
    } finally {
      this.#operation = undefined;
    }
  }

  #stopped(operation) {
    return this.#error(operation, 'the test scheduler was stopped');
  }

  #error(operation, text) {
    const error = new Error(
      `Failed to execute '${operation}' on 'TestScheduler'${inSeed(this.#seed)}: ${text}`,
    );
    return withCode(error, 'ERR_UV_SCHEDULER_TEST');
  }

  // Records what happens to tasks, and rejections that nothing handles.
  #observe() {
    const record = (event) => ({ label, priority, isContinuation }) => {
      this.#trace.push({ time: this.now, event, label, priority, isContinuation });
    };
    const settled = (message) => record(message.outcome)(message);
    const labels = new Map();
    this.#subscribe(`${CHANNEL}:posted`, record('posted'));
    this.#subscribe(`tracing:${CHANNEL}:start`, record('started'));
    this.#subscribe(`tracing:${CHANNEL}:asyncEnd`, settled);
    this.#subscribe(`tracing:${CHANNEL}:error`, ({ error, label }) => labels.set(error, label));
    this.#subscribe(`${CHANNEL}:aborted`, (message) => {
      if (message.startedAt === undefined) settled(message);
    });
    this.#listen('unhandledRejection', (reason, promise) => {
      this.#unhandled.push({ reason, promise, label: labels.get(reason) });
    });
    this.#listen('rejectionHandled', (promise) => {
      this.#unhandled = this.#unhandled.filter((each) => each.promise !== promise);
    });
  }

  #listen(event, listener) {
    process.on(event, listener);
    this.#unsubscribe.push(() => process.off(event, listener));
  }

  #subscribe(name, listener) {
    diagnostics.subscribe(name, listener);
    this.#unsubscribe.push(() => diagnostics.unsubscribe(name, listener));
  }
}

// The exports of the package are members.
for (const name of Object.keys(api)) {
  Object.defineProperty(TestScheduler.prototype, name, {
    __proto__: null,
    get: () => api[name],
    enumerable: true,
    configurable: true,
  });
}

// Installs a test scheduler until it is stopped.
function createTestScheduler(options = undefined) {
  const settings = webidl.readOptions(options, OPTIONS, MEMBERS);
  if (isInstalled()) {
    throw new Error(`Failed to execute ${CREATE}: the last test scheduler was not stopped. Each ` +
      'test stops its own: using test = createTestScheduler();');
  }
  // Also unreferenced ones: the real scheduler would start them in the middle of the test.
  const waiting = listWaiting();
  if (waiting.length > 0 || isDraining()) {
    const names = waiting.map(nameOf).join(', ') || 'drain()';
    throw new Error(`Failed to execute ${CREATE}: tasks wait on the real scheduler: ${names}`);
  }
  return new TestScheduler(settings);
}

module.exports = { createTestScheduler };

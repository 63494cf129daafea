'use strict';

// Random programs that watch, share, key, abort and drain at once: `node mix.js SEED FIRST COUNT`,
// and maybe for how many milliseconds each may run.
// Judges no order: no error is uncaught, each promise settles, and a monitor counts exactly what
// was posted and how it has ended. Prints the programs that have failed, as JSON.

const { channel } = require('node:diagnostics_channel');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { inspect } = require('node:util');
const fc = require('fast-check');
const { SharedTask, TaskController, drain, scheduler } = require('../..');
const { monitorTasks } = require('uv-scheduler/watch');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];
const OUTCOMES = ['completed', 'failed', 'aborted'];
const FAULT = new Error('of a callback');

// Milliseconds: the longest await of a body, as bodies could wait for each other; and of the end.
const LONGEST = 10;
const LIMIT = Number(process.argv[5] ?? 10_000);

// Runs that join each other could go on for ever, and so could subscribers that post.
const MOST_STEPS = 200;
const MOST_ACTS = 50;

const EVENTS = ['tracing:uv-scheduler:task:start', 'tracing:uv-scheduler:task:end',
  'uv-scheduler:task:aborted'];

const index = fc.nat(2);
const priority = fc.constantFrom(...PRIORITIES);
const option = (arbitrary) => fc.option(arbitrary, { nil: undefined });
const step = (name, members) => fc.record({ name: fc.constant(name), ...members });

const continuation = { priority: option(priority), signal: option(index) };

const leaves = [
  step('join', {
    task: index,
    priority: option(priority),
    // A number stands for the signal of a controller.
    signal: fc.oneof(fc.constantFrom(undefined, undefined, 'now', 'soon', 'late', 'later'), index),
  }),
  step('leave', { join: fc.nat(9) }),
  step('yield', continuation),
  step('wait', continuation),
  step('abort', { signal: index }),
  step('setPriority', { signal: index, priority }),
  step('turn', { how: fc.constantFrom('immediate', 'timer', 'tick') }),
].map((arbitrary, i) => ({ weight: [8, 2, 3, 2, 1, 1, 3][i], arbitrary }));

const drains = step('drain', {
  priority: option(priority), timeout: option(fc.constantFrom(0, 1, 5)),
});

function bodyOf(depth, maxLength = 4) {
  const steps = [...leaves, { weight: 1, arbitrary: drains }];
  if (depth > 0) {
    const post = step('post', {
      ...continuation,
      fairnessKey: option(fc.constantFrom('one', 'other')),
      delay: fc.constantFrom(undefined, undefined, undefined, 1, 3),
      ref: fc.constantFrom(undefined, undefined, undefined, false),
      fails: fc.constantFrom(false, false, true),
      isAsync: fc.boolean(),
      body: bodyOf(depth - 1),
    });
    steps.push({ weight: 6, arbitrary: post });
  }
  const awaited = fc.tuple(fc.oneof(...steps), fc.boolean())
    .map(([each, isAwaited]) => ({ ...each, isAwaited }));
  return fc.array(awaited, { maxLength, size: 'max' });
}

const program = fc.record({
  // The actions of a subscriber in the messages; undefined without one.
  acts: option(fc.oneof(fc.constant([]), bodyOf(1, 20))),
  controllers: fc.tuple(priority, priority, priority),
  tasks: fc.array(fc.record({
    priority, abortWhenUnused: fc.boolean(), fails: fc.boolean(), body: bodyOf(1),
  }), { minLength: 3, maxLength: 3 }),
  body: bodyOf(3, 20),
});

const withoutUndefined = (options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

class Program {
  #controllers;
  #tasks;
  #acts;
  #left = MOST_STEPS;
  #acted = 0;
  #leaves = [];
  // The number of promises that have not settled, and of bodies that are not over.
  #open = 0;
  #runs = 0;
  #posted = 0;
  #ended = { completed: 0, failed: 0, aborted: 0 };
  #monitor = monitorTasks();

  constructor({ acts, controllers, tasks }) {
    this.#controllers = controllers.map((each) => new TaskController({ priority: each }));
    this.#acts = acts;
    this.#tasks = tasks.map(({ body, fails, ...options }) => new SharedTask(async () => {
      this.#runs++;
      await this.#perform(body);
      if (fails) throw FAULT;
    }, options));
  }

  async run(body) {
    const act = () => {
      const { length } = this.#acts;
      if (length > 0 && this.#acted < MOST_ACTS) this.#step(this.#acts[this.#acted++ % length]);
    };
    const subscribers = this.#acts === undefined ? [] : [
      ['uv-scheduler:task:posted', () => this.#posted++], ...EVENTS.map((name) => [name, act]),
    ];
    this.#monitor.enable();
    for (const [name, subscriber] of subscribers) channel(name).subscribe(subscriber);
    await this.#perform(body);
    const end = performance.now() + LIMIT;
    do {
      for (const leave of this.#leaves.splice(0)) leave();
      await sleep(1);
      // The last step ends, which subscribers hear of.
      await turn();
    } while (this.#open + this.#count('queued', 'running') > 0 && performance.now() < end);
    for (const [name, subscriber] of subscribers) channel(name).unsubscribe(subscriber);
    this.#monitor.disable();
    return this.#judge();
  }

  #count(...names) {
    const all = PRIORITIES.map((each) => this.#monitor.priorities[each]);
    return all.reduce((sum, each) => names.reduce((part, name) => part + each[name], sum), 0);
  }

  #judge() {
    const seen = Object.fromEntries(OUTCOMES.map((each) => [each, this.#count(each)]));
    const all = this.#count(...OUTCOMES);
    const own = OUTCOMES.reduce((sum, each) => sum + this.#ended[each], 0);
    const isRight = this.#open === 0 && this.#count('queued', 'running') === 0 &&
      all >= own + this.#runs && OUTCOMES.every((each) => seen[each] >= this.#ended[each]) &&
      (this.#acts === undefined || all === this.#posted);
    return isRight ? undefined : {
      open: this.#open, left: this.#count('queued', 'running'), seen, own: this.#ended,
      runs: this.#runs, posted: this.#posted,
    };
  }

  async #perform(body) {
    this.#open++;
    for (const each of body) {
      const promise = this.#step(each);
      if (promise === undefined || !each.isAwaited) continue;
      await Promise.race([promise.catch(() => {}), sleep(LONGEST)]);
    }
    this.#open--;
  }

  #step(each) {
    return this.#left-- > 0 ? this[each.name](each) : undefined;
  }

  #signal(number) {
    return number === undefined ? undefined : this.#controllers[number].signal;
  }

  // Watches the promise of a task or continuation, which has settled already if it was refused.
  #watch(promise) {
    const isRefused = inspect(promise).includes('<rejected>');
    this.#open++;
    const settled = (outcome) => {
      this.#open--;
      if (!isRefused) this.#ended[outcome]++;
    };
    const rejected = (error) => settled(error === FAULT ? 'failed' : 'aborted');
    promise.then(() => settled('completed'), rejected);
    return promise;
  }

  // The steps, by name.

  post({ body, fails, isAsync, signal, priority, fairnessKey, delay, ref }) {
    const callback = () => {
      const performed = this.#perform(body);
      if (isAsync) {
        return performed.then(() => {
          if (fails) throw FAULT;
        });
      }
      if (fails) throw FAULT;
      return undefined;
    };
    const options = { signal: this.#signal(signal), priority, fairnessKey, delay, ref };
    return this.#watch(scheduler.postTask(callback, withoutUndefined(options)));
  }

  join({ task, priority, signal: kind }) {
    const controller = new AbortController();
    const leave = () => controller.abort();
    const signal = typeof kind === 'string' ? controller.signal : this.#signal(kind);
    const joined = this.#tasks[task].join(withoutUndefined({ priority, signal }));
    if (kind === 'now') leave();
    if (kind === 'soon') queueMicrotask(leave);
    if (kind === 'late') setTimeout(leave, 1);
    if (kind === 'later') this.#leaves.push(leave);
    this.#open++;
    const settled = () => this.#open--;
    joined.then(settled, settled);
    return joined;
  }

  leave({ join }) {
    if (this.#leaves.length > 0) this.#leaves.splice(join % this.#leaves.length, 1)[0]();
  }

  yield({ priority, signal }) {
    const options = withoutUndefined({ priority, signal: this.#signal(signal) });
    return this.#watch(scheduler.yield(options));
  }

  wait({ priority, signal }) {
    const options = withoutUndefined({ priority, signal: this.#signal(signal) });
    return this.#watch(scheduler.wait(1, options));
  }

  abort({ signal }) {
    this.#controllers[signal].abort();
  }

  setPriority({ signal, priority }) {
    this.#controllers[signal].setPriority(priority);
  }

  turn({ how }) {
    if (how === 'immediate') return turn();
    return how === 'timer' ? sleep(1) : new Promise(process.nextTick);
  }

  drain({ priority, timeout }) {
    void drain(withoutUndefined({ keep: priority, timeout })).catch(() => {});
  }
}

async function main([seed, first, count]) {
  let uncaught;
  process.on('uncaughtException', (error) => (uncaught ??= error));
  // Runs that nothing awaits any more may fail.
  process.on('unhandledRejection', () => {});
  const programs = fc.sample(program, { seed, numRuns: first + count, unbiased: true });
  for (const [number, each] of programs.entries()) {
    if (number < first) continue;
    uncaught = undefined;
    const failure = await new Program(each).run(each.body);
    if (failure === undefined && uncaught === undefined) continue;
    const stack = uncaught?.stack;
    process.stdout.write(`${JSON.stringify({ seed, number, failure, stack, program: each })}\n`);
    // The tasks that are left would disturb the next program.
    process.exit(1);
  }
}

// Nothing else keeps the process alive while unreferenced tasks wait.
setInterval(() => {}, LIMIT);
main(process.argv.slice(2, 5).map(Number)).then(() => process.exit());

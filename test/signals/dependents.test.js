'use strict';

// Signals of TaskSignal.any(): the priorities, events and aborts of a signal and of all that depend
// on it, in random programs that a model judges, and changes in which `dispatchEvent` throws.
// Random programs of the loop test that tasks move, tasks/gc.test.js how long dependents live.

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { SharedTask, TaskController, TaskPriorityChangeEvent, scheduler } = require('../..');
const { PRIORITIES, follow } = require('../helpers/tasks.js');

const number = fc.nat(30);
const priority = fc.constantFrom(...PRIORITIES);
const sources = fc.array(number, { maxLength: 2 });
const step = (name, members) => fc.record({ name: fc.constant(name), ...members });
const action = fc.oneof(
  { weight: 4, arbitrary: step('setPriority', { controller: fc.nat(1), priority }) },
  { weight: 4, arbitrary: step('follow', { of: number, sources }) },
  { weight: 1, arbitrary: step('fix', { priority, sources }) },
  { weight: 1, arbitrary: step('abort', { controller: fc.nat(1) }) },
);
const programs = fc.record({
  actions: fc.array(action, { minLength: 1, maxLength: 20, size: 'max' }),
  // By event: the actions of its listener.
  inListeners: fc.array(fc.array(action, { maxLength: 3 }), { maxLength: 10, size: 'max' }),
});

// Both of these log every event, every error, and the states of all signals: their priorities, and
// the reasons of aborts. The names of signals are their numbers, in the order in which they are
// made.
const stateOf = ({ priority, reason }) => `${priority} ${reason ?? ''}`;

class Actual {
  log = [];
  #controllers = [];
  #signals = [];
  #inListeners;

  constructor(inListeners) {
    this.#inListeners = [...inListeners];
    for (const priority of ['user-visible', 'background']) {
      const controller = new TaskController({ priority });
      this.#controllers.push(controller);
      this.#add(controller.signal);
    }
  }

  #add(signal) {
    const name = this.#signals.push(signal) - 1;
    signal.addEventListener('prioritychange', (event) => {
      assert.ok(event instanceof TaskPriorityChangeEvent);
      assert.equal(event.target, signal);
      const { previousPriority, type } = event;
      this.log.push([type, name, previousPriority, ...this.#signals.map(stateOf)]);
      for (const each of this.#inListeners.shift() ?? []) this.perform(each);
    });
  }

  #at = (index) => this.#signals[index % this.#signals.length];

  perform({ name, controller, priority, of, sources }) {
    try {
      if (name === 'setPriority') {
        assert.equal(this.#controllers[controller].setPriority(priority), undefined);
      }
      if (name === 'follow') this.#add(follow(this.#at(of), sources.map(this.#at)));
      if (name === 'fix') this.#add(follow(priority, sources.map(this.#at)));
      if (name === 'abort') this.#controllers[controller].abort(`by ${controller}`);
    } catch (error) {
      assert.ok(error instanceof DOMException, error);
      this.log.push([error.name]);
    }
    this.log.push(this.#signals.map(stateOf));
  }
}

class Model {
  log = [];
  #signals = [];
  #inListeners;

  constructor(inListeners) {
    this.#inListeners = [...inListeners];
    for (const priority of ['user-visible', 'background']) this.#add(priority);
  }

  #at = (index) => this.#signals[index % this.#signals.length];

  // `followed` is where the priority comes from, if it is not fixed.
  #add(priority, abortedBy = [], followed = undefined) {
    const reason = abortedBy.find((each) => each.reason !== undefined)?.reason;
    this.#signals.push({ priority, abortedBy, followed, reason, isChanging: false });
  }

  perform({ name, controller, priority, of, sources }) {
    if (name === 'setPriority') this.#change(this.#signals[controller], priority);
    if (name === 'abort') this.#abort(this.#signals[controller], `by ${controller}`);
    if (name === 'fix') this.#add(priority, sources.map(this.#at));
    if (name === 'follow') {
      const followed = this.#at(of).followed ?? this.#at(of);
      this.#add(followed.priority, sources.map(this.#at), followed);
    }
    this.log.push(this.#signals.map(stateOf));
  }

  #abort(source, reason) {
    if (source.reason !== undefined) return;
    source.reason = reason;
    for (const dependent of this.#signals) {
      if (dependent.abortedBy.includes(source)) this.#abort(dependent, reason);
    }
  }

  #change(source, priority) {
    if (source.isChanging) {
      this.log.push(['NotAllowedError']);
      return;
    }
    if (source.priority === priority) return;
    source.isChanging = true;
    const changed = this.#signals.filter((each) => each === source || each.followed === source);
    for (const signal of changed) {
      const { priority: previous } = signal;
      signal.priority = priority;
      const name = this.#signals.indexOf(signal);
      this.log.push(['prioritychange', name, previous, ...this.#signals.map(stateOf)]);
      for (const each of this.#inListeners.shift() ?? []) this.perform(each);
    }
    source.isChanging = false;
  }
}

describe('a change of a signal', () => {
  it('reaches the signal, then its dependents in their order, each once, one at a time', () => {
    fc.assert(fc.property(programs, ({ actions, inListeners }) => {
      const [actual, model] = [new Actual(inListeners), new Model(inListeners)];
      for (const each of actions) {
        actual.perform(each);
        model.perform(each);
      }
      assert.deepEqual(actual.log, model.log);
    }), { numRuns: 200 });
  });
});

describe('a priority change is completed', () => {
  const fail = (error) => () => { throw error; };

  it('for every dependent before the first error of `dispatchEvent` is thrown', () => {
    const [first, second] = [new Error('first'), new Error('second')];
    for (const [one, other] of [[0, 1], [1, 2], [2, 3], [0, 3]]) {
      const controller = new TaskController();
      const { signal } = controller;
      const signals = [signal, follow(signal), follow(signal), follow(signal)];
      signals[one].dispatchEvent = fail(first);
      signals[other].dispatchEvent = fail(second);
      let events = 0;
      for (const each of signals) each.onprioritychange = () => events++;
      assert.throws(() => controller.setPriority('background'), first);
      assert.deepEqual(signals.map(({ priority }) => priority), Array(4).fill('background'));
      assert.equal(events, 2);
    }
  });

  it('for all tasks that follow the signal if its `dispatchEvent` throws', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const dependent = follow(signal);
    const log = [];
    const tasks = [
      scheduler.postTask(() => log.push('visible')),
      scheduler.postTask(() => log.push('dependent'), { signal: dependent }),
    ];
    const shared = new SharedTask(() => {});
    tasks.push(shared.join({ signal }));
    signal.dispatchEvent = fail(new Error('mine'));
    assert.throws(() => controller.setPriority('user-blocking'), { message: 'mine' });
    assert.equal(shared.priority, 'user-blocking');
    await Promise.all(tasks);
    assert.deepEqual(log, ['dependent', 'visible']);
  });
});

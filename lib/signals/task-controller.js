'use strict';

// The TaskController interface: an AbortController that can change the priority of its signal.
// Source: "Controlling Tasks", the TaskController interface.

const { makeTaskSignal, signalPriorityChange, withSlots } = require('./task-signal.js');
const webidl = require('../webidl/conversions.js');

const INIT = new webidl.Parameter('the TaskController constructor', 'the argument init');
const INITIAL_PRIORITY = INIT.member('priority');
const PRIORITY =
  new webidl.Parameter("'setPriority' on 'TaskController'", 'the argument priority');

// The host's own getter: a subclass can override `signal` and return another signal.
const { get: getSignal } = Object.getOwnPropertyDescriptor(AbortController.prototype, 'signal');

// With it, the argument behind it are the slots of the signal.
const TOKEN = Symbol('TaskController');

let check;

class TaskController extends AbortController {
  #signal;

  constructor(init = undefined) {
    if (init === TOKEN) {
      super();
      this.#signal = withSlots(getSignal.call(this), arguments[1]);
      return;
    }
    const value = webidl.toDictionary(init, INIT)?.priority;
    const priority = webidl.optional(value, webidl.toPriority, INITIAL_PRIORITY) ?? 'user-visible';
    super();
    this.#signal = makeTaskSignal(getSignal.call(this), priority, false, undefined);
  }

  setPriority(priority) {
    check(this, 'setPriority');
    signalPriorityChange(this.#signal, webidl.toPriority(priority, PRIORITY));
  }

  static {
    ({ check } = webidl.brand('TaskController', (value) => #signal in value));
  }
}

webidl.defineInterface(TaskController, ['setPriority']);

// A controller whose signal has these slots, which may have had a priority before.
const controllerWith = (slots) => new TaskController(TOKEN, slots);

module.exports = { TaskController, controllerWith };

'use strict';

// The TaskPriorityChangeEvent interface.
// Source: "Controlling Tasks", the TaskPriorityChangeEvent interface.

const { withCode } = require('../webidl/error-code.js');
const { defineInspect } = require('../webidl/inspect.js');
const {
  Parameter,
  brand,
  defineInterface,
  toDictionary,
  toPriority,
  toString,
} = require('../webidl/conversions.js');

const OPERATION = 'the TaskPriorityChangeEvent constructor';
const TYPE = new Parameter(OPERATION, 'the argument type');
const INIT = new Parameter(OPERATION, 'the argument priorityChangeEventInitDict');
const PREVIOUS_PRIORITY = new Parameter(OPERATION, 'the member previousPriority');

let isEvent;
let check;

class TaskPriorityChangeEvent extends Event {
  #previousPriority;

  constructor(type, priorityChangeEventInitDict) {
    if (arguments.length < 2) {
      const error = new TypeError(
        `Failed to execute ${OPERATION}: 2 arguments required, but received ${arguments.length}.`,
      );
      throw withCode(error, 'ERR_INVALID_ARG_TYPE');
    }
    const name = toString(type, TYPE);
    const init = toDictionary(priorityChangeEventInitDict, INIT) ?? { __proto__: null };
    // Web IDL reads the members of the inherited dictionary, EventInit, first.
    const { bubbles, cancelable, composed } = init;
    const { previousPriority } = init;
    if (previousPriority === undefined) throw PREVIOUS_PRIORITY.error('given', previousPriority);
    super(name, { bubbles, cancelable, composed });
    this.#previousPriority = toPriority(previousPriority, PREVIOUS_PRIORITY);
  }

  get previousPriority() {
    check(this, 'previousPriority');
    return this.#previousPriority;
  }

  static {
    const has = (value) => #previousPriority in value;
    ({ is: isEvent, check } = brand('TaskPriorityChangeEvent', has));
  }
}

defineInterface(TaskPriorityChangeEvent, ['previousPriority']);

defineInspect(TaskPriorityChangeEvent, (event) => {
  if (!isEvent(event)) return undefined;
  const { type, defaultPrevented, cancelable, timeStamp, previousPriority } = event;
  return { type, defaultPrevented, cancelable, timeStamp, previousPriority };
});

module.exports = { TaskPriorityChangeEvent };

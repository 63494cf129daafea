'use strict';

// The TaskPriorityChangeEvent interface.
// Source: "Controlling Tasks", the TaskPriorityChangeEvent interface.

const { withCode } = require('../webidl/error-code.js');
const { defineInspect } = require('../webidl/inspect.js');
const {
  Parameter,
  defineInterface,
  illegalInvocation,
  isObject,
  toDictionary,
  toPriority,
  toString,
} = require('../webidl/conversions.js');

const OPERATION = 'the TaskPriorityChangeEvent constructor';
const TYPE = new Parameter(OPERATION, 'the argument type');
const INIT = new Parameter(OPERATION, 'the argument priorityChangeEventInitDict');
const PREVIOUS_PRIORITY = new Parameter(OPERATION, 'the member previousPriority');

// Whether a value implements the interface.
let isEvent;

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
    if (!isEvent(this)) {
      throw illegalInvocation('previousPriority', 'TaskPriorityChangeEvent', this);
    }
    return this.#previousPriority;
  }

  static {
    isEvent = (value) => isObject(value) && #previousPriority in value;
  }
}

defineInterface(TaskPriorityChangeEvent, ['previousPriority']);

defineInspect(TaskPriorityChangeEvent, (event) => {
  if (!isEvent(event)) return undefined;
  const { type, defaultPrevented, cancelable, timeStamp, previousPriority } = event;
  return { type, defaultPrevented, cancelable, timeStamp, previousPriority };
});

module.exports = { TaskPriorityChangeEvent };

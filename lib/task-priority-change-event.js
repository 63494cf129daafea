'use strict';

// The TaskPriorityChangeEvent interface.
// Source: "Controlling Tasks", the TaskPriorityChangeEvent interface.

const {
  Parameter,
  defineInterface,
  illegalInvocation,
  isObject,
  toDictionary,
  toPriority,
  toString,
} = require('./webidl.js');

const OPERATION = 'the TaskPriorityChangeEvent constructor';
const TYPE = new Parameter(OPERATION, 'the argument type');
const INIT = new Parameter(OPERATION, 'the argument priorityChangeEventInitDict');
const PREVIOUS_PRIORITY = new Parameter(OPERATION, 'the member previousPriority');

class TaskPriorityChangeEvent extends Event {
  #previousPriority;

  constructor(type, priorityChangeEventInitDict) {
    if (arguments.length < 2) {
      throw new TypeError(
        `Failed to execute ${OPERATION}: 2 arguments required, but received ${arguments.length}.`,
      );
    }
    const name = toString(type, TYPE);
    const init = toDictionary(priorityChangeEventInitDict, INIT) ?? { __proto__: null };
    // The members of EventInit come first.
    const { bubbles, cancelable, composed } = init;
    const { previousPriority } = init;
    if (previousPriority === undefined) throw PREVIOUS_PRIORITY.error('given', previousPriority);
    super(name, { bubbles, cancelable, composed });
    this.#previousPriority = toPriority(previousPriority, PREVIOUS_PRIORITY);
  }

  get previousPriority() {
    if (!isObject(this) || !(#previousPriority in this)) {
      throw illegalInvocation('previousPriority', 'TaskPriorityChangeEvent', this);
    }
    return this.#previousPriority;
  }
}

defineInterface(TaskPriorityChangeEvent, ['previousPriority']);

module.exports = { TaskPriorityChangeEvent };

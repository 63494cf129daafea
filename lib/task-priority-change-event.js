'use strict';

// The TaskPriorityChangeEvent interface.
// Source: "Controlling Tasks", the TaskPriorityChangeEvent interface.

const { Parameter, defineInterface, illegalInvocation, toDictionary, toPriority } =
  require('./webidl.js');

const OPERATION = 'the TaskPriorityChangeEvent constructor';
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
    const init = toDictionary(priorityChangeEventInitDict, INIT);
    super(type, init);
    const previousPriority = init?.previousPriority;
    if (previousPriority === undefined) {
      throw PREVIOUS_PRIORITY.error('given', previousPriority);
    }
    this.#previousPriority = toPriority(previousPriority, PREVIOUS_PRIORITY);
  }

  get previousPriority() {
    if (!(#previousPriority in this)) {
      throw illegalInvocation('previousPriority', 'TaskPriorityChangeEvent', this);
    }
    return this.#previousPriority;
  }
}

defineInterface(TaskPriorityChangeEvent, ['previousPriority']);

module.exports = { TaskPriorityChangeEvent };

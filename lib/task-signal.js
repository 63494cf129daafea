'use strict';

// The TaskSignal interface: an AbortSignal with a priority. Owns the priority, the dependent
// signals that follow it and the queues of the tasks that follow it; knows nothing of promises,
// and of tasks only that they are in those queues.
// Source: "Controlling Tasks", the TaskSignal interface; signal priority change.

const { getEventListeners } = require('node:events');
const { SignalQueue } = require('./event-loop.js');
const { Dependents } = require('./dependents.js');
const { anySignal, canCountListeners } = require('./host-signals.js');
const { defineInspect } = require('./inspect.js');
const { TaskPriorityChangeEvent } = require('./task-priority-change-event.js');
const webidl = require('./webidl.js');

const ANY = "'any' on 'TaskSignal'";
const SIGNALS = new webidl.Parameter(ANY, 'the argument signals');
const SIGNAL = new webidl.Parameter(ANY, 'an element of signals');
const INIT = new webidl.Parameter(ANY, 'the argument init');
const PRIORITY = new webidl.Parameter(ANY, 'the member priority');

// Lets a class give its private fields to an object that exists: the host makes the signals of
// controllers and of `AbortSignal.any`.
class Existing {
  constructor(object) {
    return object;
  }
}

// What a TaskSignal has beyond an AbortSignal.
class Slots extends Existing {
  #slots;

  constructor(signal, slots) {
    super(signal);
    this.#slots = slots;
  }

  // Undefined if the value is no TaskSignal.
  static of(value) {
    return typeof value === 'object' && value !== null && #slots in value
      ? value.#slots
      : undefined;
  }
}

// Turns a signal of the host into a TaskSignal. `source` is the signal whose priority it follows;
// its priority is fixed if there is none and no controller can change it.
function makeTaskSignal(signal, priority, isFixed, source) {
  Object.setPrototypeOf(signal, TaskSignal.prototype);
  new Slots(signal, {
    priority,
    source,
    isFixed,
    isChanging: false,
    dependents: undefined,
    handler: undefined,
    // Whether it had a listener for priority changes, where listeners cannot be counted.
    wasListenedTo: false,
    // The queues of tasks and of continuations, made when there is one.
    queues: undefined,
  });
  return signal;
}

class TaskSignal extends AbortSignal {
  constructor() {
    throw webidl.illegalConstructor('TaskSignal');
  }

  static any(signals, init = undefined) {
    const list = webidl.toSequence(signals, SIGNALS, (signal) => {
      return webidl.toHostSignal(signal, SIGNAL);
    });
    const dictionary = webidl.toDictionary(init, INIT);
    const { priority, source } = toPrioritySource(dictionary?.priority);
    const signal = anySignal(list);
    makeTaskSignal(signal, priority, source === undefined, source);
    if (source !== undefined) {
      const slots = Slots.of(source);
      slots.dependents ??= new Dependents();
      slots.dependents.add(signal);
    }
    return signal;
  }

  get priority() {
    return slotsOf(this, 'priority').priority;
  }

  get onprioritychange() {
    return slotsOf(this, 'onprioritychange').handler?.callback ?? null;
  }

  set onprioritychange(value) {
    const slots = slotsOf(this, 'onprioritychange');
    // An event handler: any object is kept, but only a function is called; the rest removes it.
    if (!webidl.isObject(value)) {
      if (slots.handler !== undefined) this.removeEventListener('prioritychange', slots.handler);
      slots.handler = undefined;
    } else if (slots.handler !== undefined) {
      // The handler keeps its place among the listeners.
      slots.handler.callback = value;
    } else {
      slots.handler = makeHandler(value);
      this.addEventListener('prioritychange', slots.handler);
    }
  }

  // As in EventTarget. A signal with listeners for priority changes stays alive as long as the
  // signal whose priority it follows.
  // The parameters make its length.
  // eslint-disable-next-line no-unused-vars
  addEventListener(type, listener, options = undefined) {
    super.addEventListener(...arguments);
    if (!canCountListeners) noteListener(this, type);
    updateKept(this);
  }

  // eslint-disable-next-line no-unused-vars
  removeEventListener(type, listener, options = undefined) {
    super.removeEventListener(...arguments);
    updateKept(this);
  }
}

webidl.defineInterface(TaskSignal, ['any', 'priority', 'onprioritychange']);

defineInspect(TaskSignal, (signal) => {
  const slots = Slots.of(signal);
  return slots && { aborted: signal.aborted, priority: slots.priority };
});

function slotsOf(receiver, attribute) {
  const slots = Slots.of(receiver);
  if (slots === undefined) throw webidl.illegalInvocation(attribute, 'TaskSignal', receiver);
  return slots;
}

function makeHandler(callback) {
  const handler = {
    callback,
    handleEvent(event) {
      if (typeof handler.callback !== 'function') return;
      handler.callback.call(event.currentTarget, event);
    },
  };
  return handler;
}

// The member `priority` of TaskSignal.any: a TaskPriority, or a TaskSignal to follow. A dependent
// signal is followed to its source, and following a fixed priority is having it.
function toPrioritySource(value) {
  if (value === undefined) return { priority: 'user-visible', source: undefined };
  const slots = Slots.of(value);
  if (slots === undefined) {
    return { priority: webidl.toPriority(value, PRIORITY), source: undefined };
  }
  if (slots.isFixed) return { priority: slots.priority, source: undefined };
  const source = slots.source ?? value;
  // The source's: while it changes, a dependent signal may not have been told yet.
  return { priority: Slots.of(source).priority, source };
}

function noteListener(signal, type) {
  const slots = Slots.of(signal);
  if (slots !== undefined && type === 'prioritychange') slots.wasListenedTo = true;
}

function hasListeners(signal) {
  if (!canCountListeners) return Slots.of(signal).wasListenedTo;
  return getEventListeners(signal, 'prioritychange').length > 0;
}

function updateKept(signal) {
  const source = Slots.of(signal)?.source;
  if (source !== undefined) {
    Slots.of(source).dependents.keep(signal, hasListeners);
  }
}

// Signals a priority change. Throws a NotAllowedError if one is under way on this signal; what an
// overridden `dispatchEvent` threw first comes out when every dependent has its new priority.
function signalPriorityChange(signal, priority) {
  const slots = Slots.of(signal);
  // 1. A change that is under way lasts until the last dependent was told.
  if (slots.isChanging) {
    throw new DOMException(
      "Failed to execute 'setPriority' on 'TaskController': " +
        'a priority change is under way on this signal',
      'NotAllowedError',
    );
  }
  // 2. No change, no event.
  if (slots.priority === priority) return;
  slots.isChanging = true;
  let failure;
  try {
    // 3. Set the priority and move the queues, then tell.
    const previousPriority = slots.priority;
    slots.priority = priority;
    for (const queue of slots.queues ?? []) queue?.setPriority(priority);
    // Dependents that are made from here on have the new priority already.
    const dependents = slots.dependents?.list() ?? [];
    failure = fire(signal, previousPriority);
    updateKept(signal);
    for (const dependent of dependents) {
      try {
        signalPriorityChange(dependent, priority);
      } catch (error) {
        failure ??= { error };
      }
    }
  } finally {
    slots.isChanging = false;
  }
  if (failure !== undefined) throw failure.error;
}

// Fires the event of a priority change. The method can be overridden, and throw: what it threw is
// returned, as the rest of the change is to be completed first.
function fire(signal, previousPriority) {
  // All members are given, as `Object.prototype` may have some; a null prototype is slower.
  const init = { bubbles: false, cancelable: false, composed: false, previousPriority };
  try {
    signal.dispatchEvent(new TaskPriorityChangeEvent('prioritychange', init));
    return undefined;
  } catch (error) {
    return { error };
  }
}

// The queue of the tasks (or continuations) that follow this signal's priority.
function signalQueue(signal, isContinuation) {
  const slots = Slots.of(signal);
  slots.queues ??= [undefined, undefined];
  slots.queues[isContinuation ? 1 : 0] ??= new SignalQueue(isContinuation);
  return slots.queues[isContinuation ? 1 : 0];
}

// The priority of a TaskSignal, and whether it can change; undefined for any other signal.
function prioritySlots(signal) {
  return Slots.of(signal);
}

module.exports = {
  TaskSignal,
  makeTaskSignal,
  prioritySlots,
  signalPriorityChange,
  signalQueue,
};

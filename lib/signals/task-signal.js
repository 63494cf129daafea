'use strict';

// The TaskSignal interface: an AbortSignal with a priority. A priority change moves the queues of
// the tasks that follow the signal, fires the event, and changes the dependent signals.
// Source: "Controlling Tasks", the TaskSignal interface; signal priority change.

const { getEventListeners } = require('node:events');
const { QueuePair } = require('../loop/dynamic-queue.js');
const { forgetAdvice } = require('../loop/event-loop.js');
const { Ring, unlink } = require('../loop/ring.js');
const { Dependents } = require('./dependents.js');
const { anySignal, canCountListeners, toHostSignal } = require('./host-signals.js');
const { defineInspect } = require('../webidl/inspect.js');
const { TaskPriorityChangeEvent } = require('./task-priority-change-event.js');
const webidl = require('../webidl/conversions.js');

const ANY = "'any' on 'TaskSignal'";
const SIGNALS = new webidl.Parameter(ANY, 'the argument signals');
const SIGNAL = new webidl.Parameter(ANY, 'an element of signals');
const INIT = new webidl.Parameter(ANY, 'the argument init');
const MEMBERS = { priority: toPrioritySource };
const DEFAULT = { priority: 'user-visible', source: undefined };

// The internal slots that a TaskSignal has in addition to the slots of an AbortSignal.
class PrioritySlots {
  priority;
  isFixed;
  // The signal whose priority it follows, as a weak reference.
  source;
  isChanging = false;
  dependents = undefined;
  // The HighestPriority objects that follow it; a Followers.
  followers = undefined;
  // A weak reference to the signal itself, for its dependents.
  reference = undefined;
  handler = undefined;
  // The Request whose priority it has; see tasks/request.js.
  request = undefined;
  // Whether it ever had a `prioritychange` listener, where listeners cannot be counted.
  wasListenedTo = false;
  // The Flow of the request whose signal it is; see tasks/flow.js.
  flow = undefined;
  // The queues of its tasks and continuations without a flow, created on first use.
  #queues = undefined;
  // The queues of flows that follow the priority: a Ring of QueuePairs.
  #pairs = undefined;

  constructor(priority, isFixed, source) {
    this.priority = priority;
    this.isFixed = isFixed;
    this.source = source;
  }

  // The slots that decide the priority: of the followed signal, if that still exists, or these.
  get decisive() {
    return Slots.of(this.source?.deref()) ?? this;
  }

  // The queue of the tasks (or continuations) that follow the priority.
  queueOf(isContinuation) {
    return (this.#queues ??= new QueuePair()).queueOf(isContinuation);
  }

  // Adds a pair of queues of a flow, which follow the priority from now on.
  attach(pair) {
    this.#pairs ??= new Ring();
    this.#pairs.push(pair);
  }

  detach(pair) {
    unlink(pair);
  }

  // Sets the priority and moves the queues.
  move(priority) {
    this.priority = priority;
    // Also changes the priority of the running code, whose task has left the queue.
    forgetAdvice();
    this.#queues?.setPriority(priority);
    // A drain may remove tasks that are moved, and with them pairs of the list.
    for (const pair of this.#pairs?.list() ?? []) pair.setPriority(priority);
  }
}

// Lets a class add private fields to an existing object: the host creates the signals of
// controllers and of `AbortSignal.any`.
class Existing {
  constructor(object) {
    return object;
  }
}

// Finds the slots by the signal.
class Slots extends Existing {
  #slots;

  constructor(signal, slots) {
    super(signal);
    this.#slots = slots;
  }

  // The slots of a TaskSignal; undefined for any other value.
  static of(value) {
    return typeof value === 'object' && value !== null && #slots in value
      ? value.#slots
      : undefined;
  }
}

// Turns a signal of the host into a TaskSignal. `source` is the signal whose priority it follows,
// if any; `isFixed` means that its priority can never change.
//
// Refers to `source` weakly, as the specification and the host do. The host keeps a signal with an
// `abort` listener alive until its sources are collected, and `source` can be one of them.
function makeTaskSignal(signal, priority, isFixed, source) {
  const reference = source === undefined ? undefined : referenceTo(source);
  return withSlots(signal, new PrioritySlots(priority, isFixed, reference));
}

// The same with slots that exist already.
function withSlots(signal, slots) {
  Object.setPrototypeOf(signal, TaskSignal.prototype);
  new Slots(signal, slots);
  return signal;
}

function referenceTo(signal) {
  return Slots.of(signal).reference ??= new WeakRef(signal);
}

class TaskSignal extends AbortSignal {
  constructor() {
    throw webidl.illegalConstructor('TaskSignal', 'A TaskController has one as its signal.');
  }

  static any(signals, init = undefined) {
    const list = webidl.toSequence(signals, SIGNALS, (signal) => {
      return toHostSignal(signal, SIGNAL);
    });
    const { priority: chosen = DEFAULT } = webidl.readMembers(init, INIT, MEMBERS);
    const { priority, source } = chosen;
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
    // An event handler attribute keeps any object but calls only functions; other values remove it.
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

  // A signal with `prioritychange` listeners is kept alive by the signal whose priority it follows.
  // The parameters only set the `length` of the method.
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

// Converts the member `priority` of TaskSignal.any: a TaskPriority or a TaskSignal to follow.
// Following a dependent signal follows its source; following a fixed priority copies it.
function toPrioritySource(value, parameter) {
  const slots = Slots.of(value);
  if (slots === undefined) {
    const priority = webidl.toPriority(value, parameter, 'a TaskSignal or ');
    return { priority, source: undefined };
  }
  if (slots.isFixed) return { priority: slots.priority, source: undefined };
  const source = slots.source === undefined ? value : slots.source.deref();
  // The priority of a collected signal cannot change.
  if (source === undefined) return { priority: slots.priority, source };
  // Not the priority of `value`: while its source changes, it may still be the old one.
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
  const source = Slots.of(signal)?.source?.deref();
  if (source !== undefined) {
    Slots.of(source).dependents.keep(signal, hasListeners);
  }
}

// Signals a priority change. Throws a NotAllowedError if a change of this signal is under way, and
// the first error of an overridden `dispatchEvent` once every dependent has its new priority.
function signalPriorityChange(signal, priority) {
  const slots = Slots.of(signal);
  // 1. A change is under way until the last dependent has changed.
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
    // 3. Set the priority and move the queues, then fire the events.
    const previousPriority = slots.priority;
    slots.move(priority);
    const moved = slots.followers?.move(slots) ?? [];
    failure = announceChange(signal, previousPriority);
    for (const follower of moved) {
      const other = follower.announce();
      failure ??= other;
    }
  } finally {
    slots.isChanging = false;
  }
  if (failure !== undefined) throw failure.error;
}

// Fires the event of a completed change, and changes the dependent signals. After that, returns the
// first error of an overridden `dispatchEvent`.
function announceChange(signal, previousPriority) {
  const slots = Slots.of(signal);
  // Dependents that the listeners create have the new priority already.
  const dependents = slots.dependents?.list() ?? [];
  let failure = fire(signal, previousPriority);
  updateKept(signal);
  for (const dependent of dependents) {
    try {
      signalPriorityChange(dependent, slots.priority);
    } catch (error) {
      failure ??= { error };
    }
  }
  return failure;
}

// Fires `prioritychange`. Returns the error of an overridden `dispatchEvent` instead of throwing
// it, so that the rest of the change is completed first.
function fire(signal, previousPriority) {
  // Sets all members, as `Object.prototype` may define them; a null prototype is slower.
  const init = { bubbles: false, cancelable: false, composed: false, previousPriority };
  try {
    signal.dispatchEvent(new TaskPriorityChangeEvent('prioritychange', init));
    return undefined;
  } catch (error) {
    return { error };
  }
}

// The PrioritySlots of a TaskSignal, of which callers may set `request`; undefined for any other
// value.
function prioritySlots(signal) {
  return Slots.of(signal);
}

module.exports = {
  PrioritySlots,
  TaskSignal,
  announceChange,
  makeTaskSignal,
  prioritySlots,
  signalPriorityChange,
  withSlots,
};

'use strict';

// The queues of the tasks whose priority can change: those that follow a signal, and those of a
// flow. Owns the ids of these queues.

const {
  KEPT_WHEN_EMPTY, NOT_WAITING, fixedQueue, post, tell,
} = require('./event-loop.js');
const { MAX_QUEUES, RANKS, TELL } = require('./protocol.js');
const { observers } = require('./observers.js');

// The ids of queues that are free again, and the first id that was never used. Ids below RANKS
// belong to the fixed queues.
const freeQueues = [];
let nextQueue = RANKS;

function takeQueue() {
  if (freeQueues.length > 0) return freeQueues.pop();
  if (nextQueue === MAX_QUEUES) throw new RangeError('Too many signals have tasks');
  return nextQueue++;
}

function giveQueueBack(id) {
  freeQueues.push(id);
  if (freeQueues.length > KEPT_WHEN_EMPTY && freeQueues.length === nextQueue - RANKS) {
    freeQueues.length = 0;
    nextQueue = RANKS;
  }
}

// The queue of tasks (or of continuations) that have one priority. Only while the queue has members
// does it have an id and exist in the binding.
class DynamicQueue {
  #isContinuation;
  #flow;
  #pair;
  #id = NOT_WAITING;
  #members = 0;

  // `pair` is the QueuePair that the queue is a part of, and `flow` the Flow of the pair, if any.
  constructor(isContinuation, flow, pair) {
    this.#isContinuation = isContinuation;
    this.#flow = flow;
    this.#pair = pair;
  }

  get isEmpty() {
    return this.#members === 0;
  }

  // Posts a task to the queue. `priority` is its current priority.
  post(task, priority, terms) {
    // If posting throws, the next task uses the id.
    if (this.#id === NOT_WAITING) this.#id = takeQueue();
    if (this.#members === 0) this.#flow?.bind(this.#id);
    const rank = fixedQueue(priority, this.#isContinuation);
    task.id = post(task, this.#id, rank, terms);
    task.queue = this;
    if (this.#members++ === 0) this.#flow?.joined();
  }

  // A member has left its queue.
  leave() {
    if (--this.#members > 0) return;
    giveQueueBack(this.#id);
    this.#id = NOT_WAITING;
    this.#flow?.left(this.#pair);
  }

  setPriority(priority) {
    if (this.#members === 0) return;
    const rank = fixedQueue(priority, this.#isContinuation);
    tell(TELL.MOVE_QUEUE, this.#id, rank);
    if (observers.drain !== undefined && !this.#isContinuation) observers.drain.lowered(rank);
  }
}

// The queues of the tasks and of the continuations that have one priority: a fixed one of a flow,
// or that of a signal. Each is created on first use.
class QueuePair {
  // The place among the pairs that follow a signal; see PrioritySlots.
  previous = undefined;
  next = undefined;
  // Of a pair of a flow: its priority, or the PrioritySlots that it follows.
  source;
  #flow;
  #tasks = undefined;
  #continuations = undefined;

  constructor(flow = undefined, source = undefined) {
    this.#flow = flow;
    this.source = source;
  }

  get isEmpty() {
    return (this.#tasks?.isEmpty ?? true) && (this.#continuations?.isEmpty ?? true);
  }

  queueOf(isContinuation) {
    return isContinuation
      ? this.#continuations ??= new DynamicQueue(true, this.#flow, this)
      : this.#tasks ??= new DynamicQueue(false, this.#flow, this);
  }

  setPriority(priority) {
    this.#tasks?.setPriority(priority);
    this.#continuations?.setPriority(priority);
  }
}

module.exports = { QueuePair };

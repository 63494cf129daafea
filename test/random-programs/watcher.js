'use strict';

// Compares a monitor and a subscriber of all channels with the model of random programs: every task
// and continuation that was posted, started, settled and aborted. One watcher serves all programs
// of a session, as what one leaves behind may run in the next.

const { subscribe } = require('node:diagnostics_channel');
const { monitorTasks } = require('uv-scheduler/watch');
const { priorityOf } = require('./states.js');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];
const OUTCOMES = ['completed', 'failed', 'aborted'];
const TRACED = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
const SETTLED = ['asyncStart', 'asyncEnd', 'aborted'];

// Orders of messages, by kind and outcome. A task can be aborted inside of its callback. One that
// has not settled has the outcome undefined.
const ORDERS = {
  task: {
    completed: /^posted start end asyncStart asyncEnd$/,
    failed: /^posted start end error asyncStart asyncEnd$/,
    aborted: /^posted (aborted|start (aborted asyncStart asyncEnd end|end aborted \w+ asyncEnd))$/,
    undefined: /^posted( start end)?$/,
  },
  yield: {
    completed: /^posted start asyncStart asyncEnd end$/,
    aborted: /^posted aborted$/,
    undefined: /^posted$/,
  },
};

function zeros() {
  const each = { starts: 0, completed: 0, failed: 0, aborted: 0 };
  return Object.fromEntries(PRIORITIES.map((priority) => [priority, { ...each }]));
}

// Whether the times of a message about what has started and ended, or neither, are in order.
function hasOrderedTimes({ delay, postedAt, queuedAt, startedAt, endedAt }) {
  if (queuedAt !== postedAt + delay) return false;
  if (startedAt === undefined) return endedAt === undefined;
  return queuedAt <= startedAt && startedAt <= endedAt && endedAt <= performance.now() + 1;
}

class Watcher {
  #monitor;
  // Messages that were posted, and belong to no entry yet.
  #new = [];
  // By message, what it was passed to.
  #events = new Map();
  #expected = zeros();
  // Entries whose promises may settle yet.
  #entries = new Set();
  #lastId = 0;
  // The message about the task that the session has posted last.
  #own;
  #violation;

  constructor() {
    this.#monitor = monitorTasks();
    this.#monitor.enable();
    for (const event of ['posted', 'aborted', ...TRACED]) {
      const name = `${TRACED.includes(event) ? 'tracing:' : ''}uv-scheduler:task:${event}`;
      subscribe(name, (message) => this.#hear(event, message));
    }
  }

  #hear(event, message) {
    const events = this.#events.get(message) ?? [];
    this.#events.set(message, [...events, event]);
    if (event === 'posted') {
      this.#new.push(message);
      if (message.id <= this.#lastId) this.#violation ??= `the id ${message.id} was there before`;
      this.#lastId = message.id;
    } else if (events.length === 0) {
      this.#violation ??= `${event} is the first message about ${message.id}`;
    }
    if (SETTLED.includes(event) && message.outcome === undefined) {
      this.#violation ??= `${message.id} has no outcome at ${event}`;
    }
  }

  // The session itself has posted a task, which ends with its callback.
  ignorePosted(priority) {
    [this.#own] = this.#new;
    this.#new = [];
    this.#expected[priority].starts++;
    this.#expected[priority].completed++;
  }

  // The calls of the model. `fail` is called with each difference.

  // An entry was posted: it waits now, unless `isRefused`.
  posted(entry, isRefused, fail) {
    if (ORDERS[entry.kind] === undefined) return;
    const messages = this.#new;
    this.#new = [];
    if (messages.length !== (isRefused ? 0 : 1)) fail(entry, `${messages.length} were posted`);
    if (isRefused) return;
    const [message] = messages;
    const { priority, isContinuation, delay, startedAt, outcome } = message;
    entry.message = message;
    entry.postedPriority = priority;
    this.#entries.add(entry);
    const isRight = priority === priorityOf(entry) && delay === entry.delay &&
      isContinuation === entry.isContinuation && startedAt === undefined && outcome === undefined;
    if (!isRight) fail(entry, `was posted as ${JSON.stringify(message)}`);
  }

  // An entry starts, and these wait.
  started(entry, waiting, fail) {
    if (entry.message === undefined) return;
    const priority = priorityOf(entry);
    this.#expected[priority].starts++;
    if (entry.message.priority !== priority) {
      fail(entry, `starts with the priority ${entry.message.priority}, not ${priority}`);
    }
    if (!this.#events.get(entry.message).includes('start')) fail(entry, 'has no start message');
    if (entry.kind === 'task') this.#judgeQueued(waiting, fail);
  }

  // Its promise settles, or is about to.
  settled(entry, outcome) {
    if (entry.message === undefined || entry.outcome !== undefined) return;
    entry.outcome = outcome;
    this.#expected[priorityOf(entry)][outcome]++;
  }

  // A program is over: all messages about it were published.
  finish(fail) {
    if (this.#violation !== undefined) fail(undefined, this.#violation);
    if (this.#new.length > 0) fail(undefined, `${this.#new.length} posts of nobody`);
    for (const entry of this.#entries) this.#judge(entry, fail);
    const left = [...this.#entries].map(({ message }) => [message, this.#events.get(message)]);
    this.#events = new Map(left);
    this.#own = undefined;
    this.#judgeMonitor(fail);
  }

  #judge(entry, fail) {
    const { kind, message, outcome, postedPriority } = entry;
    const events = this.#events.get(message).join(' ');
    if (message.outcome !== outcome || !ORDERS[kind][outcome]?.test(events)) {
      fail(entry, `is ${outcome}, but ${message.outcome} for subscribers: ${events}`);
    }
    if (message.startedAt === undefined && message.priority !== postedPriority) {
      fail(entry, `has the priority ${message.priority} without having started`);
    }
    if (!hasOrderedTimes(message)) fail(entry, `has the times ${JSON.stringify(message)}`);
    if (outcome !== undefined) this.#entries.delete(entry);
  }

  #judgeMonitor(fail) {
    for (const priority of PRIORITIES) {
      const of = this.#monitor.priorities[priority];
      const { starts, ...outcomes } = this.#expected[priority];
      const actual = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, of[outcome]]));
      const all = { waits: of.wait.count, durations: of.duration.count, ...actual };
      const wanted = { waits: starts, durations: starts, ...outcomes };
      if (JSON.stringify(all) === JSON.stringify(wanted)) continue;
      fail(undefined, `${priority}: ${JSON.stringify(all)}, not ${JSON.stringify(wanted)}`);
    }
  }

  // Compares how many are queued with what the model has.
  #judgeQueued(waiting, fail) {
    for (const priority of PRIORITIES) {
      const { queued } = this.#monitor.priorities[priority];
      const now = performance.now();
      const all = [...waiting].filter((entry) =>
        priorityOf(entry) === priority && entry.kind !== 'idle');
      const own = this.#own?.startedAt === undefined && this.#own?.priority === priority ? 1 : 0;
      const least = own + all.filter(({ delay }) => delay === 0).length;
      const most = least + all.filter(({ delay, earliest }) => delay > 0 && earliest <= now).length;
      if (queued < least || queued > most) {
        fail(undefined, `${queued} of ${priority} are queued, not ${least} to ${most}`);
      }
    }
  }
}

module.exports = { Watcher };

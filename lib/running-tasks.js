'use strict';

// The tasks that run: from the start of the callback until the promise settles, not until the
// callback returns. Knows how many there are, which they are, and which of them the running code
// belongs to.

const { AsyncLocalStorage } = require('node:async_hooks');
const { observers } = require('./observers.js');

// The tasks whose callbacks are being called: more than one in nested runs of the loop.
const called = [];

// A task whose callback has returned a thenable, and which waits for it.
class Place {
  constructor(task) {
    this.task = task;
    this.previous = this;
    this.next = this;
  }
}

// The places form a ring, which begins and ends here.
const ring = new Place(undefined);

// The number of tasks in the ring, without those that nobody waits for (`ref: false`).
let unsettled = 0;

// Carries each task along its chain. Undefined until somebody asks, as it slows every task.
let owners;

// Calls `run` in the async scope of a task whose callback it calls.
function call(task, run) {
  called.push(task);
  try {
    task.runInAsyncScope(run, task);
  } finally {
    called.pop();
    if (observers.released !== undefined) observers.released();
  }
}

// Makes a task the owner of its async scope, if somebody has asked for owners before.
function own(task) {
  owners?.enterWith(task);
}

// Adds a task that waits for a thenable. Returns its place.
function add(task) {
  const place = new Place(task);
  const last = ring.previous;
  last.next = place;
  place.previous = last;
  place.next = ring;
  ring.previous = place;
  if (!task.isAside) unsettled++;
  return place;
}

// Takes a task from its place.
function remove(place) {
  place.previous.next = place.next;
  place.next.previous = place.previous;
  if (!place.task.isAside) unsettled--;
}

// The number of tasks that run and that somebody may wait for.
function count() {
  let count = unsettled;
  for (const task of called) {
    if (!task.isAside) count++;
  }
  return count;
}

// Rejects the promises of all tasks that run, but of those in a set.
function giveUp(others, reason) {
  for (const task of called) {
    if (!others.has(task)) task.giveUp(reason);
  }
  for (let place = ring.next; place !== ring; place = place.next) {
    if (others.has(place.task)) continue;
    remove(place);
    place.task.giveUp(reason);
  }
}

// The task that the running code belongs to, if it is known: while a callback is called, and from
// the first question on, in the whole chain of tasks that have started since.
function current() {
  const task = called.at(-1) ?? owners?.getStore();
  if (owners === undefined) {
    owners = new AsyncLocalStorage();
    if (task !== undefined) owners.enterWith(task);
  }
  return task;
}

module.exports = { add, call, count, current, giveUp, own, remove };

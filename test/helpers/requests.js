'use strict';

// Runs random requests on the real loop, and judges the order in which their pieces run by what is
// promised among equals. Programs are data: see integrations/http/random-requests.test.js.

const { scheduler } = require('../..');
const { controllerFor } = require('uv-scheduler/http');
const { busy } = require('./tasks.js');

// The largest difference between a measured time and the charged one, in ms.
const TOLERANCE = 1;

const pause = () => new Promise((resolve) => setTimeout(resolve, 2));

// How many requests have begun or awoken.
let places = 0;

// A request: the time that it has used, its entries that wait, and its place among equals, which
// is that of its last awakening if others with a key have come or awoken while it was idle.
class Request {
  used = 0;
  idle = 0;
  waiting = [];
  #idleSince;
  #others;

  constructor(order, { key, weight }) {
    this.order = order;
    this.key = key;
    this.#takePlace();
    this.weight = key === undefined ? 1 : weight;
  }

  // Returns the entry.
  queue(given) {
    if (this.#idleSince !== undefined) {
      this.idle += performance.now() - this.#idleSince;
      this.#idleSince = undefined;
      if (this.#others !== places) this.#takePlace();
      else if (this.key !== undefined) places++;
    }
    const entry = { ...given, since: performance.now() };
    this.waiting.push(entry);
    return entry;
  }

  start(entry) {
    this.waiting.splice(this.waiting.indexOf(entry), 1);
  }

  pauses() {
    if (this.waiting.length > 0) return;
    this.#idleSince = performance.now();
    this.#others = places;
  }

  #takePlace() {
    if (this.key !== undefined) this.place = places++;
  }
}

// The longest piece of a program, in ms.
const LONGEST = 2;

// While two keys have something queued all the time, what they get of the thread, divided by their
// weights, differs by no more than the longest piece of each, and the longest piece of any key: so
// much may a key owe the other one when they meet. A program begins where the one before has left
// the keys: one may be ahead by its last piece. Time for which the machine stood still is charged
// in part or not at all, so the keys may be further apart by it.
class Shares {
  #leads = new Map();
  #longest = new Map();

  // A piece starts of a request. These have something queued, or are about to run.
  start(requests) {
    const keys = [...new Set(requests.map(({ key }) => key))];
    const pairs = keys.flatMap((one, i) => keys.slice(i + 1).map((other) => [one, other]));
    const before = this.#leads;
    this.#leads = new Map(pairs.map(([one, other]) => {
      const name = [one, other].map(String).sort().join(' ');
      return [name, before.get(name) ?? { one: name.split(' ')[0], now: 0, least: 0, most: 0 }];
    }));
  }

  // A piece of a request has taken this time.
  end({ key, weight }, spent) {
    const name = String(key);
    const time = spent / weight;
    this.#longest.set(name, Math.max(this.#longest.get(name) ?? LONGEST / weight, time));
    for (const [names, lead] of this.#leads) {
      if (!names.split(' ').includes(name)) continue;
      lead.now += lead.one === name ? time : -time;
      lead.least = Math.min(lead.least, lead.now);
      lead.most = Math.max(lead.most, lead.now);
    }
  }

  // A key has nothing queued, and saves nothing up.
  pauses(key) {
    for (const names of [...this.#leads.keys()]) {
      if (names.split(' ').includes(String(key))) this.#leads.delete(names);
    }
  }

  // Returns the violation of a rule, if there is one.
  judge(stood) {
    const ofAny = Math.max(LONGEST, ...this.#longest.values());
    for (const [names, { least, most }] of this.#leads) {
      const longest = names.split(' ').map((name) => this.#longest.get(name) ?? LONGEST);
      const limit = longest[0] + longest[1] + ofAny + 2 * TOLERANCE + stood;
      if (most - least > limit) return `${names}: ${most - least} ms apart, and not ${limit}`;
    }
    return undefined;
  }
}

// Runs a program. Resolves to what is wrong, and how much was judged.
class Run {
  violations = [];
  judged = { shares: 0, order: 0, overdue: 0 };
  #requests = [];
  #shares = new Shares();
  #hasBounds;
  #lastEnd = -Infinity;
  #isBusy = false;
  // For how long the machine stood still, in ms.
  #stood = 0;

  constructor({ requests }) {
    this.#hasBounds = requests.some(({ maxWait }) => maxWait !== undefined);
  }

  async run({ priority, requests }) {
    const controllers = [];
    const tasks = requests.flatMap((given, order) => {
      const request = new Request(order, given);
      this.#requests.push(request);
      const { options, controller } = optionsOf(given, priority);
      if (controller !== undefined) controllers.push(controller);
      return given.tasks.map((pieces, number) => {
        const entry = request.queue({ number, maxWait: given.maxWait });
        return scheduler.postTask(() => this.#task(request, entry, pieces), options);
      });
    });
    await Promise.all(tasks);
    for (const controller of controllers) controller.abort();
  }

  async #task(request, task, pieces) {
    let entry = task;
    for (const [index, { ms, pauses }] of pieces.entries()) {
      this.#piece(request, entry, ms);
      if (pauses) {
        request.pauses();
        const { key } = request;
        const isQueued = (each) => each.key === key && each.waiting.length > 0;
        if (!this.#requests.some(isQueued)) this.#shares.pauses(key);
        await pause();
      }
      if (index === pieces.length - 1) break;
      entry = request.queue({ ...task, number: -1 });
      await scheduler.yield();
    }
    request.pauses();
  }

  #piece(request, entry, ms) {
    const began = performance.now();
    const waiting = this.#requests.filter((other) => other.waiting.length > 0);
    if (this.#isBusy) this.#expect(began - this.#lastEnd, 0);
    this.#shares.start(waiting);
    request.start(entry);
    this.#judgeStart(request, entry, waiting);
    busy(ms);
    this.#lastEnd = performance.now();
    this.#isBusy = waiting.length > 1;
    const time = this.#lastEnd - began;
    this.#expect(time, ms);
    request.used += time;
    this.#shares.end(request, time);
    if (this.#hasBounds) return;
    this.judged.shares++;
    const wrong = this.#shares.judge(this.#stood);
    if (wrong !== undefined) this.violations.push(wrong);
  }

  // A time that should be no longer than another one.
  #expect(time, most) {
    if (time > most + TOLERANCE) this.#stood += time - most;
  }

  #judgeStart(request, entry, waiting) {
    // Continuations go before tasks, unless a task is overdue.
    const isEarlier = ({ number }) => number < entry.number && !(this.#hasBounds && number < 0);
    if (request.waiting.some(isEarlier)) {
      this.violations.push(`task ${entry.number} of ${request.order} overtakes its own request`);
    }
    if (this.#hasBounds) this.#judgeOverdue(entry, waiting);
    else if (request.key !== undefined) this.#judgeOrder(request, waiting);
  }

  // A request that has used no more, and came or awoke first, is not overtaken.
  #judgeOrder(request, waiting) {
    this.judged.order++;
    for (const other of waiting) {
      if (other.key !== request.key || other.place >= request.place) continue;
      const least = request.used - request.idle - TOLERANCE - this.#stood;
      if (other.used > 0 && other.used > least) continue;
      this.violations.push(`${request.order} overtakes ${other.order}`);
    }
  }

  // If an entry was overdue when the last piece ended, no entry that is not overdue starts first.
  #judgeOverdue(entry, waiting) {
    const isOverdue = ({ since, maxWait }) => this.#lastEnd - since > maxWait + TOLERANCE;
    const mayBeOverdue = performance.now() - entry.since > entry.maxWait;
    if (mayBeOverdue) return;
    this.judged.overdue++;
    const late = waiting.find((other) => other.waiting.some(isOverdue));
    if (late !== undefined) this.violations.push(`an entry of ${late.order} is overdue`);
  }
}

function optionsOf({ key, weight, isRequest, maxWait }, priority) {
  if (key === undefined) return { options: { priority, maxWait } };
  const given = { fairnessKey: key, fairnessWeight: weight };
  if (!isRequest) return { options: { priority, maxWait, ...given } };
  const controller = new AbortController();
  const { signal } = controllerFor(controller.signal, { priority, ...given });
  return { options: { signal, maxWait }, controller };
}

async function runRequests(program) {
  const run = new Run(program);
  await run.run(program);
  return run;
}

module.exports = { LONGEST, runRequests };

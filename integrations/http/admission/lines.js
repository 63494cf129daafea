'use strict';

// All requests that wait for their first turn, by priority, and who of them is refused: those that
// wait too long, and, when there are too many, the least important. See line.js for when a line is
// overloaded. The scheduler alone decides who is next.

const { PRIORITIES } = require('../../../lib/webidl/conversions.js');
const { Line } = require('./line.js');

const LEAST_IMPORTANT_FIRST = [...PRIORITIES].reverse();

class Lines {
  #lines;
  #size = 0;
  #maxQueued;
  #refuse;

  // Calls `refuse(place, reason)` for those that wait and are refused.
  constructor(refuseAfter, maxQueued, refuse) {
    this.#lines = Object.fromEntries(PRIORITIES.map((priority) => {
      return [priority, new Line(priority, refuseAfter[priority])];
    }));
    this.#maxQueued = maxQueued;
    this.#refuse = refuse;
  }

  get size() {
    return this.#size;
  }

  oldestOf(priority) {
    return this.#lines[priority].oldest;
  }

  paceOf(priority) {
    return this.#lines[priority].pace;
  }

  sizeOf(priority) {
    return this.#lines[priority].size;
  }

  // A request arrives. Returns why it is refused; undefined if it waits.
  arrive(place, priority, now) {
    this.refuseLate(now);
    const line = this.#lines[priority];
    if (line.wouldBeTooLate(now)) return 'wait';
    if (this.#size >= this.#maxQueued && !this.#makeRoom(priority)) return 'queue';
    line.add(place, now);
    this.#size++;
    return undefined;
  }

  // Refuses the newest request of the least important line that is less important than this.
  #makeRoom(priority) {
    for (const least of LEAST_IMPORTANT_FIRST) {
      if (least === priority) return false;
      const { newest } = this.#lines[least];
      if (newest === undefined) continue;
      this.leave(newest);
      this.#refuse(newest, 'queue');
      return true;
    }
    return false;
  }

  // It gets its turn. Returns why it is refused; undefined if it is admitted.
  start(place, now) {
    this.#size--;
    return place.line.start(place, now) ? 'wait' : undefined;
  }

  leave(place) {
    this.#size--;
    place.line.remove(place);
  }

  // Refuses those that have waited too long, the least important first.
  refuseLate(now) {
    if (this.#size === 0) return;
    for (const priority of LEAST_IMPORTANT_FIRST) {
      const line = this.#lines[priority];
      line.update(now);
      if (!line.isOverloaded) continue;
      for (let place; (place = line.oldest) !== undefined && line.isTooLate(place, now);) {
        this.leave(place);
        this.#refuse(place, 'wait');
      }
    }
  }

  // Refuses those for which `isRefused(place)` is true. What a refusal leads to may remove others.
  refuseAll(reason, isRefused) {
    for (const priority of LEAST_IMPORTANT_FIRST) {
      for (const place of [...this.#lines[priority].places()]) {
        if (place.line === undefined || !isRefused(place)) continue;
        this.leave(place);
        this.#refuse(place, reason);
      }
    }
  }

  // When refuseLate() has to be called.
  get deadline() {
    let deadline = Infinity;
    for (const priority of PRIORITIES) {
      deadline = Math.min(deadline, this.#lines[priority].deadline);
    }
    return deadline;
  }
}

module.exports = { Lines };

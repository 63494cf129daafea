'use strict';

// The thread time of the tasks of each label, by priority. The number of labels is unbounded, for
// example if each user has one, so labels with the least time are dropped now and then.
// Source: Misra and Gries' sketch, in the variant of Anderson et al., "A High-Performance Algorithm
// for Identifying Frequent Items in Data Streams".
//
// When all counters are in use, all counters are dropped that gained at most the median since the
// last drop. So a label without a counter can miss at most the median more. At least half of the
// counters have gained the median. So the time missing from a label is never more than all time
// divided by half of the number of counters.

const { PRIORITIES } = require('./priorities.js');

// The number of counted pairs of a label and a priority, and of shown ones.
const COUNTERS = 1024;
const MOST_SHOWN = 100;

// The counter of a pair. Times are in nanoseconds.
class LabelTime {
  count = 0;
  time = 0;
  max = 0;

  constructor(label, priority, missing) {
    this.label = label;
    this.priority = priority;
    // The label has at most this much more time: that of its counters that were dropped before.
    this.missing = missing;
  }
}

class LabelTimes {
  // The counters of each priority, by label.
  #counters = PRIORITIES.map(() => new Map());
  #size = 0;
  // A label without a counter has at most this much time.
  #dropped = 0;
  // The counter that was used last: many programs post one callback again and again.
  #last = new LabelTime(undefined, -1, 0);

  record(label, priority, duration) {
    let counter = this.#last;
    if (counter.label !== label || counter.priority !== priority) {
      counter = this.#counters[priority].get(label) ?? this.#add(label, priority);
      this.#last = counter;
    }
    counter.count++;
    counter.time += duration;
    if (duration > counter.max) counter.max = duration;
  }

  #add(label, priority) {
    if (this.#size === COUNTERS) this.#dropHalf();
    const counter = new LabelTime(label, priority, this.#dropped);
    this.#counters[priority].set(label, counter);
    this.#size++;
    return counter;
  }

  // Drops the counters that gained at most the median since the last drop.
  #dropHalf() {
    const gain = ({ time, missing }) => time + missing - this.#dropped;
    const gains = Float64Array.from(this.#all(), gain).sort();
    const median = gains[COUNTERS / 2 - 1];
    for (const { label, priority } of this.#all().filter((each) => gain(each) <= median)) {
      this.#counters[priority].delete(label);
      this.#size--;
    }
    this.#dropped += median;
  }

  #all() {
    return this.#counters.flatMap((counters) => [...counters.values()]);
  }

  // The counters with the most time, the largest first.
  get top() {
    return this.#all().sort((one, other) => other.time - one.time).slice(0, MOST_SHOWN);
  }

  reset() {
    for (const counters of this.#counters) counters.clear();
    this.#size = 0;
    this.#dropped = 0;
    this.#last = new LabelTime(undefined, -1, 0);
  }
}

module.exports = { LabelTimes, MOST_SHOWN };

'use strict';

// How much time the tasks of each label took, by priority. There can be more labels than memory, as
// when each user has one, so those with the least time are dropped now and then.
// Source: Misra and Gries' sketch, as Anderson and others have it in "A High-Performance Algorithm
// for Identifying Frequent Items in Data Streams".
//
// When all counters are in use, those are dropped that gained at most the median since the last
// time. A label without a counter then can have had that much more. At least half of the counters
// have gained as much. So what is missing from a label is never more than all time divided by half
// of the number of counters.

const { PRIORITIES } = require('./priorities.js');

// How many pairs of a label and a priority are counted, and how many are shown.
const COUNTERS = 1024;
const MOST_SHOWN = 100;

// What is known of a pair. Times are in nanoseconds.
class LabelTime {
  count = 0;
  time = 0;
  max = 0;

  constructor(label, priority, missing) {
    this.label = label;
    this.priority = priority;
    // What was not counted, at most: it was dropped before.
    this.missing = missing;
  }
}

class LabelTimes {
  // By priority, by label.
  #counters = PRIORITIES.map(() => new Map());
  #size = 0;
  // What a label without a counter has had, at most.
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

  // Drops those that gained at most the median since there was room the last time.
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

  // The counters with the most time, those first.
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

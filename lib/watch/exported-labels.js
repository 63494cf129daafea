'use strict';

// The labels that an exporter shows. A time series lives for long, so each one that was shown
// remains, and there are never more than the application has allowed. Whenever the exporter reads,
// the places that are free go to the labels that have taken most time.

const { toNumberThat } = require('../webidl/conversions.js');
const { MOST_SHOWN } = require('./label-times.js');

class ExportedLabels {
  #most;
  // What was shown last, by priority and label.
  #shown = new Map();

  constructor(most) {
    this.#most = most;
  }

  // For each label: the priority, how many tasks have run, and the time that they took. Neither
  // falls, although a monitor can drop a label and count it from 0 again.
  read(labels) {
    for (const { label, priority, count, time } of labels) {
      const key = `${priority} ${label}`;
      const before = this.#shown.get(key);
      if (before === undefined && this.#shown.size >= this.#most) continue;
      this.#shown.set(key, {
        label,
        priority,
        count: Math.max(count, before?.count ?? 0),
        time: Math.max(time, before?.time ?? 0),
      });
    }
    return [...this.#shown.values()];
  }
}

// Converts the option that says how many.
const toMostLabels = toNumberThat(`an integer from 0 to ${MOST_SHOWN}`, (number) => {
  return Number.isInteger(number) && number >= 0 && number <= MOST_SHOWN;
});

module.exports = { ExportedLabels, toMostLabels };

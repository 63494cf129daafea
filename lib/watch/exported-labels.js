'use strict';

// The labels that an exporter shows. Time series are long-lived, so a shown label stays, and there
// are never more than the application allows. At each read, free places go to the labels with the
// most time.

const { toNumberThat } = require('../webidl/conversions.js');
const { MOST_SHOWN } = require('./label-times.js');

class ExportedLabels {
  #most;
  // The last shown values, by priority and label.
  #shown = new Map();

  constructor(most) {
    this.#most = most;
  }

  // Returns for each label the priority, the number of tasks that have run, and their time. Neither
  // number falls, although a monitor can drop a label and count it from 0 again.
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

// Converts the option for the maximum number of labels.
const toMostLabels = toNumberThat(`an integer from 0 to ${MOST_SHOWN}`, (number) => {
  return Number.isInteger(number) && number >= 0 && number <= MOST_SHOWN;
});

module.exports = { ExportedLabels, toMostLabels };

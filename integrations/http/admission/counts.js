'use strict';

// What an admission counts, by priority.

const { Distribution } = require('../../../lib/watch/distribution.js');
const { PRIORITIES } = require('../../../lib/webidl/conversions.js');

const NANOSECONDS_PER_MILLISECOND = 1e6;
const NANOSECONDS_PER_SECOND = 1e9;

class Counts {
  admitted = 0;
  refused = { wait: 0, queue: 0, drain: 0 };
  left = 0;
  delay = new Distribution();

  // It has waited for so many milliseconds.
  admit(delay) {
    this.admitted++;
    this.delay.record(Math.round(delay * NANOSECONDS_PER_MILLISECOND));
  }

  read(waiting) {
    const { admitted, refused, left, delay: { count, sum, buckets, histogram } } = this;
    return {
      admitted,
      refused: { ...refused },
      left,
      waiting,
      delay: { count, sum: sum / NANOSECONDS_PER_SECOND, buckets, histogram },
    };
  }
}

function noCounts() {
  return Object.fromEntries(PRIORITIES.map((priority) => [priority, new Counts()]));
}

module.exports = { noCounts };

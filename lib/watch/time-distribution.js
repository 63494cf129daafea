'use strict';

// The public interface of a Distribution.

const { defineInspect } = require('../webidl/inspect.js');
const webidl = require('../webidl/conversions.js');

const OPERATION = "'percentile' on 'TimeDistribution'";
const PERCENT = new webidl.Parameter(OPERATION, 'the argument percent');

const toPercent = webidl.toNumberThat('a number above 0 and up to 100', (percent) => {
  return percent > 0 && percent <= 100;
});

// Throws if the receiver of an operation is not a TimeDistribution.
let check;

class TimeDistribution {
  #distribution;

  constructor(distribution) {
    this.#distribution = distribution;
  }

  get count() {
    check(this, 'count');
    return this.#distribution.count;
  }

  get sum() {
    check(this, 'sum');
    return this.#distribution.sum;
  }

  get min() {
    check(this, 'min');
    return this.#distribution.min;
  }

  get max() {
    check(this, 'max');
    return this.#distribution.max;
  }

  get mean() {
    check(this, 'mean');
    return this.#distribution.mean;
  }

  get buckets() {
    check(this, 'buckets');
    return this.#distribution.buckets;
  }

  percentile(percent) {
    check(this, 'percentile');
    return this.#distribution.percentile(toPercent(percent, PERCENT));
  }

  toJSON() {
    check(this, 'toJSON');
    return this.#distribution.toJSON();
  }

  static {
    ({ check } = webidl.brand('TimeDistribution', (value) => #distribution in value));
  }
}

webidl.defineInterface(TimeDistribution, [
  'count', 'sum', 'min', 'max', 'mean', 'buckets', 'percentile', 'toJSON',
]);
defineInspect(TimeDistribution, ({ count, sum, min, max, mean }) => {
  return { count, sum, min, max, mean };
});

module.exports = { TimeDistribution };

'use strict';

// How often each time was measured: the delays or the durations of one priority. Times come in
// nanoseconds. Recording takes a few nanoseconds, which `perf_hooks` histograms do not achieve, so
// those are made from the counts here when somebody reads one.

const { createHistogram } = require('node:perf_hooks');
const { NANOSECONDS_PER_SECOND } = require('./clock.js');

// The upper bounds of the buckets in nanoseconds: 0.1 ms, and each the double of the one before,
// up to 6.6 s. One more bucket takes the rest.
const SMALLEST = 1e5;
const BOUNDS = Array.from({ length: 17 }, (_, i) => SMALLEST * 2 ** i);

// Counted are steps, which are finer: each power of two has so many, so that the times of a step
// differ by less than 2 %. Times are scaled so that the bounds are powers of two.
const STEP_BITS = 6;
const STEPS = 2 ** STEP_BITS;
const SMALLEST_BITS = 17;
const SCALE = 2 ** SMALLEST_BITS / SMALLEST;

// Longer times, of more than 19 days, count as this one.
const LONGEST = Math.trunc(2 ** 51 / SCALE);

// Scaled times that do not fit into 32 bits are divided by this.
const COARSE_BITS = 20;
const COARSE = 2 ** COARSE_BITS;

// Those in JSON.
const PERCENTILES = [50, 75, 90, 99, 99.9, 100];

class Distribution {
  count = 0;
  // In nanoseconds.
  sum = 0;
  #least = Infinity;
  #most = 0;
  #steps = new Float64Array(stepOf(LONGEST) + 1);
  // A histogram, and what it has of the counts.
  #histogram;
  #recorded;

  // Takes whole nanoseconds.
  record(time) {
    const nanoseconds = time < 1 ? 1 : time > LONGEST ? LONGEST : time;
    this.count++;
    this.sum += nanoseconds;
    if (nanoseconds < this.#least) this.#least = nanoseconds;
    if (nanoseconds > this.#most) this.#most = nanoseconds;
    this.#steps[stepOf(nanoseconds)]++;
  }

  // Each with its upper bound in seconds and the number of times up to it.
  get buckets() {
    let count = 0;
    let step = 0;
    const buckets = BOUNDS.map((bound, i) => {
      for (const end = endOf(SMALLEST_BITS + i); step < end; step++) count += this.#steps[step];
      return { le: bound / NANOSECONDS_PER_SECOND, count };
    });
    return [...buckets, { le: Infinity, count: this.count }];
  }

  // The time that so many percent of the times do not exceed, as the histogram would say it; 0 if
  // there are none.
  percentile(percent) {
    if (this.count === 0) return 0;
    const wanted = Math.max(1, Math.ceil(this.count * percent / 100));
    let step = 0;
    for (let count = this.#steps[0]; count < wanted; count += this.#steps[step]) step++;
    return Math.min(Math.max(timeOf(step), this.#least), this.#most);
  }

  // A RecordableHistogram with all times so far, always the same one.
  get histogram() {
    this.#histogram ??= createHistogram();
    this.#recorded ??= new Float64Array(this.#steps.length);
    const missing = this.#steps.map((count, step) => count - this.#recorded[step]);
    recordAll(this.#histogram, missing, this.#least, this.#most);
    this.#recorded = this.#steps.slice();
    return this.#histogram;
  }

  // JSON has no Infinity, so there is no last bucket: `count` is its count.
  toJSON() {
    const { count, sum, buckets } = this;
    const percentiles = PERCENTILES.map((percentile) => {
      return [percentile, this.percentile(percentile) / NANOSECONDS_PER_SECOND];
    });
    return {
      count,
      sum: sum / NANOSECONDS_PER_SECOND,
      buckets: buckets.slice(0, -1),
      percentiles: Object.fromEntries(percentiles),
    };
  }

  reset() {
    this.count = 0;
    this.sum = 0;
    this.#least = Infinity;
    this.#most = 0;
    this.#steps.fill(0);
    this.#recorded?.fill(0);
    this.#histogram?.reset();
  }
}

// The step of a time. A bound belongs to the step before.
function stepOf(nanoseconds) {
  const scaled = Math.ceil(nanoseconds * SCALE) - 1;
  if (scaled < STEPS) return scaled;
  if (scaled < COARSE * STEPS) return stepOfScaled(scaled, 0);
  return stepOfScaled(Math.trunc(scaled / COARSE), COARSE_BITS);
}

function stepOfScaled(number, bits) {
  const exponent = 31 - Math.clz32(number);
  const inPower = number >>> (exponent - STEP_BITS) & STEPS - 1;
  return (exponent + bits - STEP_BITS + 1) * STEPS + inPower;
}

// The first step past this power of two of scaled times.
function endOf(exponent) {
  return (exponent - STEP_BITS + 1) * STEPS;
}

// A time in the middle of a step.
function timeOf(step) {
  const width = step < STEPS ? 1 : 2 ** (Math.trunc(step / STEPS) - 1);
  const first = step < STEPS ? step : (STEPS + step % STEPS) * width;
  return Math.round((first + (width + 1) / 2) / SCALE);
}

// Records the counts of all steps in a histogram. `record()` takes one time, so the counts are
// recorded by their binary digits, the highest first, and what there is is doubled in between.
function recordAll(histogram, counts, least, most) {
  const digits = Math.ceil(Math.log2(Math.max(...counts) + 1));
  let sum = createHistogram();
  for (let digit = 2 ** (digits - 1); digit >= 1; digit /= 2) {
    sum = doubled(sum);
    for (let step = 0; step < counts.length; step++) {
      if (Math.trunc(counts[step] / digit) % 2 === 0) continue;
      sum.record(Math.min(Math.max(timeOf(step), least), most));
    }
  }
  histogram.add(sum);
}

function doubled(histogram) {
  const double = createHistogram();
  double.add(histogram);
  double.add(histogram);
  return double;
}

module.exports = { Distribution };

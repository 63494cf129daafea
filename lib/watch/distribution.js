'use strict';

// A histogram of times: the waits or the durations of one priority. Times are recorded in
// nanoseconds and read in milliseconds. Recording takes a few nanoseconds, less than in histograms
// of `perf_hooks`.

const { NANOSECONDS_PER_MILLISECOND } = require('./clock.js');

// The upper bounds of the buckets in nanoseconds: 0.1 ms, doubled up to 6.6 s. One more bucket
// takes all longer times.
const SMALLEST = 1e5;
const BOUNDS = Array.from({ length: 17 }, (_, i) => SMALLEST * 2 ** i);

// Times are counted in steps, which are finer than buckets: STEPS per power of two, so that the
// times of a step differ by less than 2 %. Times are scaled so that the bounds are powers of two.
const STEP_BITS = 6;
const STEPS = 2 ** STEP_BITS;
const SMALLEST_BITS = 17;
const SCALE = 2 ** SMALLEST_BITS / SMALLEST;

// Longer times than this, 19 days, count as this time.
const LONGEST = Math.trunc(2 ** 51 / SCALE);

// Scaled times that do not fit into 32 bits are divided by this.
const COARSE_BITS = 20;
const COARSE = 2 ** COARSE_BITS;

// The percentiles in JSON.
const PERCENTILES = [50, 75, 90, 99, 99.9, 100];

class Distribution {
  count = 0;
  // In nanoseconds.
  #sum = 0;
  #least = Infinity;
  #most = 0;
  #steps = new Float64Array(stepOf(LONGEST) + 1);

  // Takes whole nanoseconds.
  record(time) {
    const nanoseconds = time < 0 ? 0 : time > LONGEST ? LONGEST : time;
    this.count++;
    this.#sum += nanoseconds;
    if (nanoseconds < this.#least) this.#least = nanoseconds;
    if (nanoseconds > this.#most) this.#most = nanoseconds;
    this.#steps[stepOf(nanoseconds)]++;
  }

  get sum() {
    return this.#sum / NANOSECONDS_PER_MILLISECOND;
  }

  // This and the attributes below are 0 if no time was recorded.
  get min() {
    return this.count === 0 ? 0 : this.#least / NANOSECONDS_PER_MILLISECOND;
  }

  get max() {
    return this.#most / NANOSECONDS_PER_MILLISECOND;
  }

  get mean() {
    return this.count === 0 ? 0 : this.sum / this.count;
  }

  // The time that `percent` percent of the times do not exceed.
  percentile(percent) {
    if (this.count === 0) return 0;
    const wanted = Math.max(1, Math.ceil(this.count * percent / 100));
    let step = 0;
    for (let count = this.#steps[0]; count < wanted; count += this.#steps[step]) step++;
    const time = Math.min(Math.max(timeOf(step), this.#least), this.#most);
    return time / NANOSECONDS_PER_MILLISECOND;
  }

  // Each bucket with its upper bound and the number of times up to that bound.
  get buckets() {
    let count = 0;
    let step = 0;
    const buckets = BOUNDS.map((bound, i) => {
      for (const end = endOf(SMALLEST_BITS + i); step < end; step++) count += this.#steps[step];
      return { le: bound / NANOSECONDS_PER_MILLISECOND, count };
    });
    return [...buckets, { le: Infinity, count: this.count }];
  }

  // JSON has no Infinity, so the last bucket is omitted: its count is `count`.
  toJSON() {
    const { count, sum, min, max, mean, buckets } = this;
    const percentiles = PERCENTILES.map((percent) => [percent, this.percentile(percent)]);
    return {
      count,
      sum,
      min,
      max,
      mean,
      buckets: buckets.slice(0, -1),
      percentiles: Object.fromEntries(percentiles),
    };
  }

  copy() {
    const copy = new Distribution();
    copy.count = this.count;
    copy.#sum = this.#sum;
    copy.#least = this.#least;
    copy.#most = this.#most;
    copy.#steps.set(this.#steps);
    return copy;
  }

  reset() {
    this.count = 0;
    this.#sum = 0;
    this.#least = Infinity;
    this.#most = 0;
    this.#steps.fill(0);
  }
}

// The step of a time. A bound belongs to the lower step.
function stepOf(nanoseconds) {
  // On the clock of a test a callback can take no time at all.
  const scaled = Math.max(1, Math.ceil(nanoseconds * SCALE)) - 1;
  if (scaled < STEPS) return scaled;
  if (scaled < COARSE * STEPS) return stepOfScaled(scaled, 0);
  return stepOfScaled(Math.trunc(scaled / COARSE), COARSE_BITS);
}

function stepOfScaled(number, bits) {
  const exponent = 31 - Math.clz32(number);
  const inPower = number >>> (exponent - STEP_BITS) & STEPS - 1;
  return (exponent + bits - STEP_BITS + 1) * STEPS + inPower;
}

// The number of steps below the scaled time 2 ** exponent.
function endOf(exponent) {
  return (exponent - STEP_BITS + 1) * STEPS;
}

// The time in nanoseconds in the middle of a step.
function timeOf(step) {
  const width = step < STEPS ? 1 : 2 ** (Math.trunc(step / STEPS) - 1);
  const first = step < STEPS ? step : (STEPS + step % STEPS) * width;
  return Math.round((first + (width + 1) / 2) / SCALE);
}

module.exports = { Distribution };

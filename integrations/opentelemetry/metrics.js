'use strict';

// The instruments of OpenTelemetry. Waits and durations are recorded for each step and request. All
// other values are read when the SDK collects them.
//
// OpenTelemetry's API takes no buckets from outside. A metric producer over a monitor would cost a
// quarter as much, but it belongs to the SDK: a reader takes one only when it is made, views do not
// count for its metrics, and it has one temporality for all exporters.

const { time, watch } = require('../internal.js');
const { recordWaits } = require('../http/admission/counts.js');
const { bucketBounds, metricsOf, toSeconds } = require('../metrics.js');
const { SCOPE, THREAD, guarded } = require('./common.js');

const { NANOSECONDS_PER_MILLISECOND } = time;
const { PRIORITIES, monitorTasks, theWatch } = watch;

const CREATE = {
  counter: 'createObservableCounter',
  gauge: 'createObservableGauge',
  histogram: 'createHistogram',
  sum: 'createObservableUpDownCounter',
};

// The attributes with the names that OpenTelemetry gets.
function prefixed(attributes) {
  const own = Object.entries(attributes).map(([name, value]) => [`uv_scheduler.${name}`, value]);
  return { ...Object.fromEntries(own), ...THREAD };
}

function observe(result, values) {
  for (const [attributes, value] of values) result.observe(value, prefixed(attributes));
}

class TaskMetrics {
  #wait;
  #duration;
  #attributes = PRIORITIES.map((priority) => prefixed({ priority }));
  #monitor = monitorTasks();
  // Tasks that began earlier count from here, as in the monitor.
  #since = theWatch().now();
  #endRecording;
  // Pairs of an instrument and its callback.
  #observed;

  // `mostLabels` is the number of labels with metrics.
  constructor(provider, mostLabels) {
    const meter = provider.getMeter(...SCOPE);
    // The bounds of a monitor, without the last one, which is infinite. A view of the application
    // can override them.
    const advice = { explicitBucketBoundaries: bucketBounds(this.#monitor).slice(0, -1) };
    // All are created before any is used, so that a meter that throws leaves nothing behind.
    const made = metricsOf(this.#monitor, mostLabels).map((metric) => {
      const { help: description, kind, name, unit } = metric;
      const options = { description, unit, ...(kind === 'histogram' && { advice }) };
      return [metric, meter[CREATE[kind]](`uv_scheduler.${name}`, options)];
    });
    const named = Object.fromEntries(made.map(([{ name }, instrument]) => [name, instrument]));
    this.#wait = named['task.wait'];
    this.#duration = named['task.duration'];
    this.#observed = made
      .filter(([{ kind }]) => kind !== 'histogram')
      .map(([{ read }, instrument]) => [instrument, (result) => observe(result, read())]);
    for (const [instrument, callback] of this.#observed) instrument.addCallback(callback);
    this.#endRecording = recordWaits((priority, wait) => guarded(() => {
      named['request.wait'].record(toSeconds(wait), prefixed({ priority }));
    }));
    this.#monitor.enable();
  }

  record(step, now, within) {
    const attributes = this.#attributes[step.priority];
    const { message } = step;
    const duration = Math.max(0, now - Math.max(step.startedAt, this.#since));
    this.#duration.record(toSeconds(duration / NANOSECONDS_PER_MILLISECOND), attributes, within);
    // A task that was posted earlier may have no message.
    if (message === undefined || step.startedAt < this.#since) return;
    const wait = Math.max(0, message.startedAt - message.queuedAt);
    this.#wait.record(toSeconds(wait), attributes, within);
  }

  stop() {
    this.#endRecording();
    for (const [instrument, callback] of this.#observed) instrument.removeCallback(callback);
    this.#monitor.disable();
  }
}

module.exports = { TaskMetrics };

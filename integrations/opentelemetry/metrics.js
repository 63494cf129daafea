'use strict';

// The instruments of OpenTelemetry. Waits and durations are recorded for each step and request.
// All else is read when the SDK asks for it.
//
// OpenTelemetry's API takes no buckets from outside. A metric producer over a monitor would cost a
// quarter as much, but it belongs to the SDK: a reader takes one only when it is made, views do not
// count for its metrics, and it has one temporality for all exporters.

const { monitorTasks } = require('../../index.js');
const { recordWaits } = require('../http/admission/counts.js');
const { bucketBounds, metricsOf, toSeconds } = require('../metrics.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../../lib/watch/clock.js');
const { theWatch } = require('../../lib/watch/index.js');
const { PRIORITIES } = require('../../lib/watch/priorities.js');
const { SCOPE, THREAD, guarded } = require('./common.js');

const CREATE = {
  counter: 'createObservableCounter',
  gauge: 'createObservableGauge',
  histogram: 'createHistogram',
  sum: 'createObservableUpDownCounter',
};

// The names as OpenTelemetry gets them.
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
  // What had begun before counts from here, as for the monitor.
  #since = theWatch().now();
  #endRecording;
  // Pairs of an instrument and what it calls.
  #observed;

  // `mostLabels`: how many labels get metrics.
  constructor(provider, mostLabels) {
    const meter = provider.getMeter(...SCOPE);
    // Those of a monitor, without the last one, which is infinite. A view of the application can
    // say others.
    const advice = { explicitBucketBoundaries: bucketBounds(this.#monitor).slice(0, -1) };
    // All are made before any is used: a meter that throws leaves nothing behind.
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
    // What was posted before may have no message.
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

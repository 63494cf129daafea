'use strict';

// The instruments of OpenTelemetry. Delays and durations are recorded for each step and request.
// All else is read when the SDK asks for it.

const { monitorTasks } = require('../../index.js');
const { recordDelays } = require('../http/admission/counts.js');
const { MILLISECONDS_PER_SECOND, metricsOf } = require('../metrics.js');
const { NANOSECONDS_PER_SECOND } = require('../../lib/watch/clock.js');
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
  #delay;
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
    const { buckets } = this.#monitor.priorities['user-visible'].duration;
    const advice = { explicitBucketBoundaries: buckets.slice(0, -1).map(({ le }) => le) };
    // All are made before any is used: a meter that throws leaves nothing behind.
    const made = metricsOf(this.#monitor, mostLabels).map((metric) => {
      const { help: description, kind, name, unit } = metric;
      const options = { description, unit, ...(kind === 'histogram' && { advice }) };
      return [metric, meter[CREATE[kind]](`uv_scheduler.${name}`, options)];
    });
    const named = Object.fromEntries(made.map(([{ name }, instrument]) => [name, instrument]));
    this.#delay = named['task.delay'];
    this.#duration = named['task.duration'];
    this.#observed = made
      .filter(([{ kind }]) => kind !== 'histogram')
      .map(([{ read }, instrument]) => [instrument, (result) => observe(result, read())]);
    for (const [instrument, callback] of this.#observed) instrument.addCallback(callback);
    this.#endRecording = recordDelays((priority, delay) => guarded(() => {
      named['request.delay'].record(delay / MILLISECONDS_PER_SECOND, prefixed({ priority }));
    }));
    this.#monitor.enable();
  }

  record(step, now, within) {
    const attributes = this.#attributes[step.priority];
    const { message } = step;
    const duration = Math.max(0, now - Math.max(step.startedAt, this.#since));
    this.#duration.record(duration / NANOSECONDS_PER_SECOND, attributes, within);
    // What was posted before may have no message.
    if (message === undefined || step.startedAt < this.#since) return;
    const waited = Math.max(0, message.startedAt - message.queuedAt) / MILLISECONDS_PER_SECOND;
    this.#delay.record(waited, attributes, within);
  }

  stop() {
    this.#endRecording();
    for (const [instrument, callback] of this.#observed) instrument.removeCallback(callback);
    this.#monitor.disable();
  }
}

module.exports = { TaskMetrics };

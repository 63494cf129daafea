'use strict';

// Mutants of the other integrations, and of what they do not find documented.

const METRICS = 'integrations/opentelemetry/metrics.js';
const SPANS = 'integrations/opentelemetry/spans.js';
const PROMETHEUS = 'integrations/prometheus/index.js';
const CLOCK = 'integrations/testing/clock.js';
const UNDOCUMENTED = 'lib/loading/undocumented.js';

const OF_METRICS = ['test/integrations/metrics.test.js'];
const OF_REGISTERS = ['test/integrations/prometheus/prometheus.test.js'];
const OF_SPANS = ['test/integrations/opentelemetry/opentelemetry.test.js'];
const OF_TESTING = ['test/integrations/testing/test-scheduler.test.js'];
const BOUNDARY = ['test/integrations/testing/boundary.test.js'];
const PROBES = ['test/loading/undocumented.test.js'];

module.exports = [
  {
    name: 'the metrics have times in milliseconds',
    file: 'integrations/metrics.js',
    find: 'time / MILLISECONDS_PER_SECOND',
    replace: 'time',
    tests: OF_METRICS,
    grep: 'where the time went|for how long',
  },
  {
    name: 'the buckets of histograms are in milliseconds, and their sums in seconds',
    file: 'integrations/metrics.js',
    find: 'le: toSeconds(bucket.le)',
    replace: 'le: bucket.le',
    tests: OF_METRICS,
    grep: 'histograms',
  },
  {
    name: 'the requests that have left are exported as withdrawn',
    file: 'integrations/http/admission/counts.js',
    find: 'left: sum(({ left }) => left)',
    replace: 'left: sum(({ withdrawn }) => withdrawn)',
    tests: OF_METRICS,
    grep: 'requests',
  },
  {
    name: 'an instrumentation that has stopped still gets the waits of requests',
    file: 'integrations/http/admission/counts.js',
    find: 'return () => recorders.delete(record);',
    replace: 'return () => {};',
    tests: OF_METRICS,
    grep: 'requests',
  },
  {
    name: 'stop() removes the metrics of another owner of the register',
    file: PROMETHEUS,
    find: 'if (register.getSingleMetric(name) === metric) register.remove',
    replace: 'register.remove',
    tests: OF_REGISTERS,
    grep: 'measures no longer',
  },
  {
    name: 'stop() leaves the monitor running',
    file: PROMETHEUS,
    find: '    monitor.disable();',
    replace: '',
    tests: OF_REGISTERS,
    grep: 'measures no longer',
  },
  {
    name: 'the last bucket has the bound Infinity',
    file: PROMETHEUS,
    find: "le === Infinity ? '+Inf' : le",
    replace: 'le',
    tests: OF_METRICS,
    grep: 'histograms',
  },
  {
    name: 'an observable metric of a stopped instrumentation is still read',
    file: METRICS,
    find: 'instrument.removeCallback(callback);',
    replace: '',
    tests: OF_SPANS,
    grep: 'observes nothing more',
  },
  {
    name: 'the wait of a task is recorded that began before the instrumentation',
    file: METRICS,
    find: 'message === undefined || step.startedAt < this.#since',
    replace: 'message === undefined',
    tests: OF_SPANS,
    grep: 'begins inside of a callback',
  },
  {
    name: 'a new trace begins one task too early',
    file: SPANS,
    find: 'generation > MOST_GENERATIONS',
    replace: 'generation >= MOST_GENERATIONS',
    tests: OF_SPANS,
    grep: 'after a hundred tasks',
  },
  {
    name: 'the spans of running tasks do not end with the instrumentation',
    file: 'integrations/opentelemetry/index.js',
    find: 'this.#spans?.stop();',
    replace: '',
    tests: OF_SPANS,
    grep: 'when it stops',
  },
  {
    name: 'the time of a test begins before the test',
    file: CLOCK,
    find: 'Math.ceil(readNanoseconds() / PRECISION)',
    replace: 'Math.floor(readNanoseconds() / PRECISION)',
    tests: BOUNDARY,
    grep: 'does not begin before',
  },
  {
    name: 'with a seed, timers always come before the tasks that are due with them',
    file: CLOCK,
    find: '!this.#happens(1 / 2)',
    replace: 'true',
    tests: ['test/integrations/testing/seeds.test.js'],
    grep: 'moves timers before and behind',
  },
  {
    name: 'the next task of a test starts before the microtasks of the last one',
    file: CLOCK,
    find: 'await this.#runTicks();',
    replace: '',
    tests: OF_TESTING,
    grep: 'starts tasks',
  },
  {
    name: 'the tasks of a test are among those that run on the real scheduler',
    file: 'lib/tasks/substitute.js',
    find: '[running.setAside(), setWaitersAside()]',
    replace: '[setWaitersAside()]',
    tests: BOUNDARY,
    grep: 'is none of those of a test',
  },
  {
    name: 'a test decides when the real onIdle() is fulfilled',
    file: 'lib/tasks/substitute.js',
    find: '[running.setAside(), setWaitersAside()]',
    replace: '[running.setAside()]',
    tests: BOUNDARY,
    grep: 'is none of those of a test',
  },
  {
    name: 'timers of the package are lost at the end of a test',
    file: 'lib/tasks/substitute.js',
    find: 'for (const callback of callbacks) setTimer(callback, 0).unref();',
    replace: '',
    tests: BOUNDARY,
    grep: 'fire on the real clock',
  },
  {
    name: 'the timers of the package stay on the clock of a test that has ended',
    file: 'lib/tasks/substitute.js',
    find: 'setSource(undefined);',
    replace: '',
    tests: [...BOUNDARY, ...OF_TESTING],
  },
  {
    name: 'a rejection that is handled late is an error of the test',
    file: 'integrations/testing/test-scheduler.js',
    find: 'each.promise !== promise',
    replace: 'each.promise !== undefined',
    tests: OF_TESTING,
    grep: 'a rejection that is handled before',
  },
  {
    name: 'a job is given back while background work is held',
    file: 'integrations/bullmq/turns.js',
    find: 'this.#steps < whenHeld && isHeld()',
    replace: 'this.#steps < whenHeld && !isHeld()',
    tests: ['test/integrations/bullmq/bullmq.test.js'],
    grep: 'a job that arrives',
  },
  {
    name: 'the stores of a channel are trusted without a probe',
    file: UNDOCUMENTED,
    find: 'channel._stores?.size === 0 && areStoresKnown()',
    replace: 'channel._stores?.size === 0',
    tests: PROBES,
    grep: 'a channel keeps elsewhere',
  },
  {
    name: 'some fake timers count as all of them',
    file: UNDOCUMENTED,
    find: 'waiting.length === clock.countTimers() ? waiting : undefined',
    replace: 'waiting',
    tests: PROBES,
    grep: 'fake timers',
  },
  {
    name: 'a profile of another form is taken for one',
    file: UNDOCUMENTED,
    find: 'return isKnown ? profile :',
    replace: 'return profile ? profile :',
    tests: PROBES,
    grep: 'stacks',
  },
  {
    name: 'a request that cannot be watched never gets `100 Continue`',
    file: UNDOCUMENTED,
    find: "if (typeof read !== 'function') {\n    callback();",
    replace: "if (typeof read !== 'function') {",
    tests: PROBES,
    grep: '100 Continue',
  },
  {
    name: 'a command of BullMQ that cannot be repeated fails without an event',
    file: UNDOCUMENTED,
    find: "worker.emit('error', error);",
    replace: '',
    tests: PROBES,
    grep: 'IdleWorker names the methods',
  },
];

'use strict';

// Mutants of the other integrations, and of what they do not find documented.

const { mutantsOf } = require('./mutants-of.js');

const METRICS = 'integrations/opentelemetry/metrics.js';
const SPANS = 'integrations/opentelemetry/spans.js';
const PROMETHEUS = 'integrations/prometheus/index.js';
const CLOCK = 'integrations/testing/clock.js';
const UNDOCUMENTED = 'lib/loading/undocumented.js';

const HEALTH = 'integrations/health/';

const OF_HEALTH = ['test/integrations/health/health.test.js'];
const OF_METRICS = ['test/integrations/metrics.test.js'];
const OF_REGISTERS = ['test/integrations/prometheus/prometheus.test.js'];
const OF_SPANS = ['test/integrations/opentelemetry/opentelemetry.test.js'];
const OF_TESTING = ['test/integrations/testing/test-scheduler.test.js'];
const BOUNDARY = ['test/integrations/testing/boundary.test.js'];
const PROBES = ['test/loading/undocumented.test.js'];

module.exports = [
  ...mutantsOf('integrations/metrics.js', { tests: OF_METRICS }, [
    ['the metrics have times in milliseconds', 'time / MILLISECONDS_PER_SECOND', 'time',
      'where the time went|for how long'],
    ['the buckets of histograms are in milliseconds, and their sums in seconds',
      'le: toSeconds(bucket.le)', 'le: bucket.le', 'histograms'],
  ]),
  ...mutantsOf('integrations/http/admission/counts.js', { tests: OF_METRICS }, [
    ['the requests that have left are exported as withdrawn', 'left: sum(({ left }) => left)',
      'left: sum(({ withdrawn }) => withdrawn)', 'requests'],
    ['an instrumentation that has stopped still gets the waits of requests',
      'return () => recorders.delete(record);', 'return () => {};', 'requests'],
  ]),
  ...mutantsOf(PROMETHEUS, { tests: OF_REGISTERS }, [
    ['stop() removes the metrics of another owner of the register',
      'if (register.getSingleMetric(name) === metric) register.remove', 'register.remove',
      'measures no longer'],
    ['stop() leaves the monitor running', '    monitor.disable();', '', 'measures no longer'],
  ]),
  ...mutantsOf(PROMETHEUS, { tests: OF_METRICS }, [
    ['the last bucket has the bound Infinity', "le === Infinity ? '+Inf' : le", 'le', 'histograms'],
  ]),
  ...mutantsOf(METRICS, { tests: OF_SPANS }, [
    ['an observable metric of a stopped instrumentation is still read',
      'instrument.removeCallback(callback);', '', 'observes nothing more'],
    ['the wait of a task is recorded that began before the instrumentation',
      'message === undefined || step.startedAt < this.#since', 'message === undefined',
      'begins inside of a callback'],
  ]),
  ...mutantsOf(SPANS, { tests: OF_SPANS }, [
    ['a new trace begins one task too early', 'generation > MOST_GENERATIONS',
      'generation >= MOST_GENERATIONS', 'after a hundred tasks'],
  ]),
  ...mutantsOf('integrations/opentelemetry/index.js', { tests: OF_SPANS }, [
    ['the spans of running tasks do not end with the instrumentation', 'this.#spans?.stop();', '',
      'when it stops'],
  ]),
  ...mutantsOf(CLOCK, { tests: BOUNDARY }, [
    ['the time of a test begins before the test', 'Math.ceil(readNanoseconds()',
      'Math.floor(readNanoseconds()', 'does not begin before'],
  ]),
  ...mutantsOf(CLOCK, { tests: ['test/integrations/testing/seeds.test.js'] }, [
    ['with a seed, timers always come before the tasks that are due with them',
      '!this.#happens(1 / 2)', 'true', 'moves timers before and behind'],
  ]),
  ...mutantsOf(CLOCK, { tests: OF_TESTING }, [
    ['the next task of a test starts before the microtasks of the last one',
      'await this.#runTicks();', '', 'starts tasks'],
  ]),
  ...mutantsOf('lib/tasks/substitute.js', { tests: BOUNDARY }, [
    ['the tasks of a test are among those that run on the real scheduler',
      '[running.setAside(), setWaitersAside()]', '[setWaitersAside()]',
      'is none of those of a test'],
    ['a test decides when the real onIdle() is fulfilled',
      '[running.setAside(), setWaitersAside()]', '[running.setAside()]',
      'is none of those of a test'],
    ['timers of the package are lost at the end of a test',
      'for (const callback of source.left()) setTimer(callback, 0).unref();', '',
      'fire on the real clock'],
  ]),
  ...mutantsOf('lib/tasks/substitute.js', { tests: [...BOUNDARY, ...OF_TESTING] }, [
    ['the timers of the package stay on the clock of a test that has ended',
      'setSource(undefined);', ''],
  ]),
  ...mutantsOf('integrations/testing/test-scheduler.js', { tests: OF_TESTING }, [
    ['a rejection that is handled late is an error of the test', 'each.promise !== promise',
      'each.promise !== undefined', 'a rejection that is handled before'],
  ]),
  ...mutantsOf('integrations/bullmq/turns.js', {
    tests: ['test/integrations/bullmq/bullmq.test.js'],
  }, [
    ['a job is given back while background work is held', 'this.#steps < whenHeld && isHeld()',
      'this.#steps < whenHeld && !isHeld()', 'a job that arrives'],
  ]),
  ...mutantsOf(UNDOCUMENTED, { tests: PROBES }, [
    ['what runs the ticks is not asked whether it does',
      'areTicksRunnable = hasRunTick && hasRunMicrotask;',
      'areTicksRunnable = isTickCallbackKnown;', 'does nothing'],
    ['what runs the ticks may have any name', "tickCallback?.name === 'runNextTicks'",
      'tickCallback !== undefined', 'warns when it is called'],
    ['the stores of a channel are trusted without a probe',
      'channel._stores?.size === 0 && areStoresKnown()', 'channel._stores?.size === 0',
      'a channel keeps elsewhere'],
    ['some fake timers count as all of them',
      'waiting.length === clock.countTimers() ? waiting : undefined', 'waiting', 'fake timers'],
    ['a profile of another form is taken for one', 'return isKnown ? profile :',
      'return profile ? profile :', 'stacks'],
    ['a request that cannot be watched never gets `100 Continue`',
      "if (typeof read !== 'function') {\n    callback();", "if (typeof read !== 'function') {",
      '100 Continue'],
    ['a command of BullMQ that cannot be repeated fails without an event',
      "worker.emit('error', error);", '', 'IdleWorker names the methods'],
  ]),
  ...mutantsOf(`${HEALTH}index.js`, { tests: OF_HEALTH }, [
    ['a check that hangs is called again', 'this.#isReady ??= ', 'this.#isReady = ',
      'what servers, shutDown'],
    ['no client waits for a check in vain', 'Promise.race([this.#isReady, isLate])',
      'Promise.race([this.#isReady])', 'what servers, shutDown'],
  ]),
  ...mutantsOf(`${HEALTH}overload.js`, { tests: OF_HEALTH }, [
    ['a short overload lasts', 'now - this.#since >= this.#patience', 'true', 'that lasts'],
    ['crawlers count for an overload', "'user-visible'];", "'user-visible', 'background'];",
      'that lasts'],
  ]),
  ...mutantsOf(`${HEALTH}snapshots.js`, { tests: OF_HEALTH }, [
    ['each change makes a snapshot', 'this.#waiting.add(name);', '', 'once a second'],
  ]),
  ...mutantsOf(`${HEALTH}thread.js`, { tests: ['test/integrations/health/kubelet.test.js'] }, [
    ['a busy thread is stuck', 'isFree || !isStuck()', 'isFree', 'less than stuckAfter'],
    ['a thread that is free again is still stuck', 'await ask(\'live\', SOON)', 'false',
      'not at the next|less than'],
  ]),
];

'use strict';

// The arguments of the integrations, as a table: what is refused, and with which error.
// webidl/arguments.test.js has those of the package itself.

const assert = require('node:assert/strict');
const { getEventListeners } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const client = require('prom-client');
const { IdleWorker } = require('uv-scheduler/bullmq');
const { serveHealth } = require('uv-scheduler/health');
const { controllerFor, createAdmission, shutDown } = require('uv-scheduler/http');
const { instrumentTasks } = require('uv-scheduler/opentelemetry');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { Scheduled } = require('uv-scheduler/react');
const { createTestScheduler, seeds } = require('uv-scheduler/testing');
const browser = require('../../dist/react-browser.js');
const { RANGE, TYPE, VALUE, assertRefused } = require('../helpers/arguments.js');
const { meters } = require('../helpers/exporters.js');

const nothing = () => {};
const { signal } = new AbortController();
const request = new http.IncomingMessage(null);
const response = new http.ServerResponse(request);
const admission = createAdmission();
const connection = { host: '127.0.0.1' };

// Calls a method of a test scheduler, which ends.
const inTest = (name) => async (...args) => {
  const test = createTestScheduler();
  try {
    await test[name](...args);
  } finally {
    test.stop();
  }
};

const worker = (...args) => new IdleWorker('queue', ...args);
const job = (options) => [nothing, { connection, ...options }];

// Values that are no source of a controller, and their names in the message.
const SOURCES = [
  [undefined, 'undefined'], [null, 'null'], ['response', 'the string "response"'],
  [{}, 'an object'], [new AbortController(), 'an object of class AbortController'],
  [Object.create(AbortSignal.prototype), 'an object of class AbortSignal'],
  [new net.Socket(), 'an object of class Socket'],
  [{ writableEnded: false, req: {}, on() {} }, 'an object'],
  [{ writableEnded: false, on() {} }, 'an object'],
].map(([source, name]) =>
  [[source], TYPE, RegExp(`node:http2, or an AbortSignal, but received ${name}\\.$`)]);

const SCHEDULED = [
  [[{ priority: null }], VALUE, /the prop priority must be one of .* null\.$/],
  [[{ signal: {} }], TYPE, /the prop signal must be an AbortSignal, but received an object\.$/],
  [[{ falback: nothing }], VALUE, /unknown prop 'falback' \(did you mean 'fallback'\?\)\.$/],
  [[{ ref: nothing }], VALUE,
    /unknown prop 'ref' \(known: 'priority', 'signal', 'fallback', 'children'\)\.$/],
];

// By the name in the message: the function, and bad arguments, each with the code and the message.
const ENTRIES = {
  createAdmission: [createAdmission, [
    [[1], TYPE, /the argument options must be an object/],
    [[{ refuseAfer: {} }], VALUE, /'refuseAfer' .*'refuseAfter'/],
    [[{ classify: 1 }], TYPE, /classify must be a function/],
    [[{ refuse: null }], TYPE, /refuse must be a function/],
    [[{ fairnessKey: 'a' }], TYPE, /fairnessKey must be a function/],
    [[{ fairnessWeight: 1 }], TYPE, /fairnessWeight must be a function/],
    [[{ fairnessWeight: () => 1 }], VALUE,
      /fairnessWeight must be given with a fairnessKey, but received a function alone/],
    [[{ refuseAfter: 5 }], TYPE, /refuseAfter must be an object/],
    [[{ refuseAfter: { high: 1 } }], VALUE, /'high' in the member /],
    [[{ refuseAfter: { background: 0 } }], RANGE,
      /refuseAfter\['background'\] must be a number of milliseconds above 0/],
    [[{ maxRunning: 0 }], RANGE, /maxRunning must be a whole number/],
    [[{ raiseAfter: { background: -1 } }], RANGE,
      /raiseAfter\['background'\] must be a number of milliseconds above 0/],
    [[{ raiseAfter: { 'user-visible': 1 } }], VALUE, /'user-visible' in the member raiseAfter/],
    [[{ maxQueued: 0.5 }], RANGE, /maxQueued must be a whole number/],
  ]],
  handler: [admission.handler, [[[], TYPE, /listener/]]],
  middleware: [admission.middleware, [
    [[request, request, nothing], TYPE, /response/], [[request, response], TYPE, /next/],
  ]],
  admit: [admission.admit, [
    [[request, response], TYPE, /run/], [[response, request, nothing], TYPE, /re(quest|sponse)/],
  ]],
  'createAdmission (of a classify())': [createAdmission({ classify: () => 'high' }).admit, [
    [[request, response, nothing], VALUE, /the result of classify\(\) must be one of .*"high"/],
  ]],
  controllerFor: [controllerFor, [
    ...SOURCES,
    [[signal, 'background'], TYPE, /the argument options must be an object.*"background"/],
    [[signal, { priority: 'high' }], VALUE, /the member priority must be one of .*"high"/],
    [[signal, { fairnessKey: Symbol('mine') }], TYPE, /fairnessKey must/],
    [[signal, { fairnessWeight: -1 }], RANGE, /fairnessWeight must be a finite number above/],
    [[signal, { fairnessWeight: 3 }], VALUE,
      /fairnessWeight must be given with a fairnessKey, but received 3 alone/],
    [[signal, { fairnessWeight: null }], TYPE, /received null/],
  ]],
  shutDown: [shutDown, [
    [[{}], TYPE, /server/],
    [[http.createServer(), { timout: 1 }], VALUE, /'timout' \(did you mean 'timeout'\?\)/],
    [[http.createServer(), { delay: Infinity }], RANGE, /the member delay must be a number from 0/],
  ]],
  serveHealth: [serveHealth, [
    [[7], TYPE, /the argument options must be an object, .*received 7/],
    [[{ stuckafter: 1 }], VALUE, /'stuckafter' \(did you mean 'stuckAfter'\?\)/],
    ...[65_536, -1, 1.5, '', 'a', null].map((port) => [[{ port }], RANGE, /port must be a port/]),
    [[{ host: Symbol('a') }], TYPE, /host must be a string/],
    [[{ stuckAfter: 0 }], RANGE, /stuckAfter must be a number of milliseconds above 0/],
    [[{ ready: true }], TYPE, /ready must be a function/],
    [[{ admission: {} }], TYPE, /admission must be an admission, .* an object/],
  ]],
  IdleWorker: [worker, [
    [[new URL('file:///x'), {}], TYPE, /the argument processor must be .* object of class URL\.$/],
    [[nothing], TYPE, /the argument options must be an object with a connection, .* undefined\.$/],
    [[nothing, {}], TYPE, /the member connection must be an object: options of .* undefined\.$/],
    [job({ connection: 'redis' }), TYPE, /the member connection must be .* the string "redis"\.$/],
    [job({ patience: 0 }), RANGE,
      /the member patience must be a number of milliseconds above 0, or Infinity, .* 0\.$/],
    [job({ maxGiveBacks: 0.5 }), RANGE,
      /the member maxGiveBacks must be an integer from 0 on, or Infinity, .* 0\.5\.$/],
    [job({ patiense: 3 }), VALUE, /unknown option 'patiense' \(did you mean 'patience'\?\)\.$/],
  ]],
  instrumentTasks: [instrumentTasks, [
    [['a'], TYPE, /the argument options must be an object, .*the string "a"/],
    [[{ tracer: 1 }], VALUE, /'tracer' \(known: 'meterProvider', 'tracerProvider'/],
    [[{ filter: 7 }], TYPE, /filter must be .*received 7/],
    [[{ maxTaskLabels: -1 }], RANGE, /maxTaskLabels must be an integer from 0 to 100/],
    [[{ meterProvider: {} }], TYPE, /meterProvider must be a MeterProvider of/],
    [[{ meterProvider: meters().provider, tracerProvider: 7 }], TYPE,
      /tracerProvider must be .*received 7/],
  ]],
  collectTaskMetrics: [collectTaskMetrics, [
    [[7], TYPE, /the argument options must be an object, .*received 7/],
    [[{ registry: 1 }], VALUE, /option 'registry' \(did you mean 'register'/],
    [[{ register: {} }], TYPE, /register must be a Registry of prom-client/],
    [[{ prefix: '7 ' }], VALUE, /prefix must be .*received the string "7 "/],
    [[{ labels: 'a' }], TYPE, /labels must be an object.*the string "a"/],
    [[{ maxTaskLabels: 101 }], RANGE, /maxTaskLabels must be .*0 to 100.*received 101/],
    [[{ labels: { label: 1 } }], VALUE, /labels must be .*the label "label"/],
    [[{ labels: { 'a-b': 1 } }], VALUE, /labels must be .*the label "a-b"/],
    [[{ labels: { a: Symbol('a') } }], TYPE, /the label a must be a string/],
  ]],
  createTestScheduler: [createTestScheduler, [
    [[{ sead: 1 }], VALUE, /unknown option 'sead' \(did you mean 'seed'\?\)/],
    [[{ seed: -1 }], RANGE, /a whole number from 0 to 2\^32-1/],
    [[{ maxTasks: 0 }], RANGE, /a number above 0/],
    [[{ advanceTimers: 1 }], TYPE, /advanceTimers/],
  ]],
  advance: [inTest('advance'), [[[], TYPE, /undefined/], [[-1], RANGE, /-1/]]],
  flush: [inTest('flush'), [[['urgent'], VALUE, /"urgent"/]]],
  seeds: [seeds, [
    ...[0, 1.5, 2 ** 32].map((count) => [[count], RANGE, /count/]), [[3, -1], RANGE, /first/],
  ]],
  'render <Scheduled>': [Scheduled, SCHEDULED],
  'render <Scheduled> (the entry for browsers)': [browser.Scheduled, SCHEDULED],
};

for (const [name, [call, rows]] of Object.entries(ENTRIES)) {
  const [operation] = name.split(' (');
  const start = /^render/.test(name) ? operation : `execute '${operation}'`;
  it(`${name} refuses bad arguments, and names them`, async () => {
    const entry = { name: start, promises: true };
    await assertRefused(entry, RegExp(`^Failed to ${start}`), async (args) => call(...args), rows);
    assert.deepEqual(client.register.getMetricsAsArray(), []);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
}

it('controllerFor() passes on the error of a getter of its options', () => {
  const error = new Error('own');
  assert.throws(() => controllerFor(signal, { get priority() { throw error; } }), error);
});

it('createAdmission() takes no options, or undefined ones', () => {
  for (const options of [undefined, null, {}, { classify: undefined, refuseAfter: undefined }]) {
    assert.equal(typeof createAdmission(options).handler, 'function');
  }
});

it('<Scheduled> takes an aborted signal, and attributes that build tools add', () => {
  for (const each of [Scheduled, browser.Scheduled]) {
    const given = { 'data-sentry-component': 'Page', 'signal': AbortSignal.abort() };
    assert.ok(each(given).type);
  }
});

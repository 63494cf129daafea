'use strict';

// The servers that are compared: all do the same work for a request of a type, in units that may
// be followed by a pause, or in one function.

const http = require('node:http');
const { createRequire } = require('node:module');
const path = require('node:path');
const { currentTaskSignal, scheduler } = require('../..');
const { controllerFor, createAdmission } = require('../../dist/http.js');
const { IDIOMS } = require('../equals/contenders');
const { spin } = require('../harness/spin');
const { typeOf, unitsOf } = require('./workloads');

const NAMES = {
  plain: 'plain Node',
  immediate: 'setImmediate, each ms',
  piscina: 'piscina, one thread',
  sizes: 'uv-scheduler, controllerFor()',
  keys: 'uv-scheduler, controllerFor(), keys by type',
  priorities: 'uv-scheduler, controllerFor(), priorities by type',
  classes: 'uv-scheduler, createAdmission(), priorities by type',
  direct: 'uv-scheduler, short types in the listener, others by priority',
  whole: 'uv-scheduler, priorities by type, work in one function',
};

// The contenders that cut the work and are this package's; and those of them that docs/guide.md
// recommends where types are known: priorities, and no task at all where an answer takes little.
const OURS = ['sizes', 'keys', 'priorities', 'classes', 'direct'];
const RECIPES = ['priorities', 'direct'];

const inPieces = (type, signal) => IDIOMS.pieces(unitsOf(type), signal);

const inOneFunction = ({ ms }) => spin(ms);

// Makes a listener that does `work(type, response)`.
const listening = (work) => (workload) => async ({ url }, response) => {
  await work(typeOf(workload, url.slice(1)), response);
  response.end();
};

// Does the work in a task with the signal of the request, whose options are `optionsFor(type)`.
const inTask = (optionsFor, work = inPieces) => (type, response) => {
  const { signal } = controllerFor(response, optionsFor(type));
  return scheduler.postTask(() => work(type, signal), { signal });
};

const byPriority = ({ priority }) => ({ priority });

const inTaskByPriority = inTask(byPriority);

const inListener = (type, response) =>
  (type.priority === 'user-blocking' ? inOneFunction(type) : inTaskByPriority(type, response));

// No contender refuses a request, so neither does the admission.
const admitted = (work) => (workload) => createAdmission({
  classify: ({ url }) => typeOf(workload, url.slice(1)).priority,
  refuseAfter: { 'user-blocking': Infinity, 'user-visible': Infinity, background: Infinity },
}).handler(listening(work)(workload));

// The thread of the pool shares the processor with the server's.
function createPool() {
  // Set-up has installed it for the example.
  const example = path.join(__dirname, '../../examples/worker-pool/server.js');
  const { Piscina } = createRequire(example)('piscina');
  const pool = new Piscina({
    filename: require.resolve('./worker'), minThreads: 1, maxThreads: 1,
  });
  return listening(({ ms }) => pool.run(ms));
}

// By name: makes a listener for the requests of a workload.
const LISTENERS = {
  plain: listening(inOneFunction),
  immediate: listening((type) => IDIOMS.immediate(unitsOf(type))),
  piscina: (workload) => createPool()(workload),
  sizes: listening(inTask(() => ({}))),
  keys: listening(inTask(({ name }) => ({ fairnessKey: name }))),
  priorities: listening(inTaskByPriority),
  classes: admitted((type) => inPieces(type, currentTaskSignal())),
  direct: listening(inListener),
  whole: listening(inTask(byPriority, inOneFunction)),
};

// Returns a server that does not listen yet.
const createContender = ({ contender, workload }) =>
  http.createServer(LISTENERS[contender](workload));

module.exports = { NAMES, OURS, RECIPES, createContender };

'use strict';

// Every dependence on something that a host or a library does not document: what the package relies
// on, how it asks whether this version has it, and the answer if not, which is never an exception.
// No answer concerns a row of `guarantees`.

const { AsyncLocalStorage, AsyncResource, executionAsyncId, executionAsyncResource } =
  require('node:async_hooks');
const diagnostics = require('node:diagnostics_channel');
const { isPromise } = require('node:util').types;

// Node: the resource that executionAsyncResource() returns in a tick, in a microtask and in a
// reaction. It tells whether code belongs to the chain of a task, and so inherits from the task.
// Asked in callbacks of our own. The answer for an unknown resource depends on who keeps its async
// id: JavaScript does for ticks, microtasks and timers, native code for I/O and addons.

// The classes of resources that also stand for other callbacks: of addons, and of an application.
const COMMON = [null, Object.prototype, AsyncResource.prototype];

// For each class of resources that belong to a chain, the name of the property that holds the
// callback, if the class is a common one.
const chains = new Map();

function learnResource() {
  const resource = executionAsyncResource();
  if (!isObject(resource) || isPromise(resource) || isOfLoop(resource)) return;
  const prototype = Object.getPrototypeOf(resource);
  if (COMMON.includes(prototype)) {
    const name = Reflect.ownKeys(resource).find((each) => typeof resource[each] === 'function');
    if (name !== undefined) chains.set(prototype, name);
  } else if (executionAsyncId() !== 0) {
    chains.set(prototype, undefined);
  }
}

// Looks at the resources of a tick, a microtask and a reaction. The arguments are the functions of
// the host.
function learnResources(nextTick, queueMicrotask) {
  nextTick(learnResource);
  queueMicrotask(learnResource);
  void learnInReaction();
}

// A program may have replaced the functions of promises.
async function learnInReaction() {
  await undefined;
  learnResource();
}

// Whether a resource with this async id stands for a tick, a microtask or a reaction.
function isResourceOfChain(resource, id) {
  // No callback of the loop lacks a resource.
  if (!isObject(resource)) return true;
  const prototype = Object.getPrototypeOf(resource);
  if (chains.has(prototype)) {
    const name = chains.get(prototype);
    if (name === undefined) return true;
    if (Object.hasOwn(resource, name) && typeof resource[name] === 'function') return true;
  }
  if (resource instanceof AsyncResource || isOfLoop(resource)) return false;
  return Object.getOwnPropertySymbols(resource).some((each) => resource[each] === id);
}

const isObject = (value) => typeof value === 'object' && value !== null;

// Timers, immediates and handles have this method, which Node documents.
const isOfLoop = (resource) => typeof resource.hasRef === 'function';

// Node: `process._tickCallback()`, which runs ticks, microtasks and rejections as between two
// immediates. One that has another name is not called: that of --pending-deprecation warns
// (DEP0134). Without it, each task of a check phase has a callback of the loop for itself.
const { _tickCallback: tickCallback } = process;
const isTickCallbackKnown = tickCallback?.name === 'runNextTicks';

let areTicksRunnable;

// Runs the ticks and microtasks that wait, within a callback of the loop. Returns whether they have
// run. The first call asks, by a tick and a microtask behind those that wait. The arguments are the
// functions of the host.
function runTicksOfNode(nextTick, queueMicrotask) {
  if (areTicksRunnable === undefined) return askForTicks(nextTick, queueMicrotask);
  if (areTicksRunnable) tickCallback();
  return areTicksRunnable;
}

function askForTicks(nextTick, queueMicrotask) {
  let hasRunTick = false;
  let hasRunMicrotask = false;
  if (isTickCallbackKnown) {
    nextTick(() => { hasRunTick = true; });
    queueMicrotask(() => { hasRunMicrotask = true; });
    tickCallback();
  }
  areTicksRunnable = hasRunTick && hasRunMicrotask;
  return areTicksRunnable;
}

// Node: the Map `_stores` of a channel, so that a message to a channel without stores needs no
// runStores(). Without the Map, or if a channel with a store has an empty one, runStores() is
// called.
const hasNoStores = (channel) => channel._stores?.size === 0 && areStoresKnown();

let areKnown;

function areStoresKnown() {
  if (areKnown !== undefined) return areKnown;
  const channel = diagnostics.channel('uv-scheduler:stores');
  const store = new AsyncLocalStorage();
  channel.bindStore(store);
  areKnown = channel._stores?.size === 1;
  channel.unbindStore(store);
  return areKnown;
}

// Node: a server's list of its connections, under a symbol. Without it, shutDown() waits for the
// connections that have sent nothing after a TLS handshake until Node closes them.
function socketsOf(server) {
  const connections = valueOfSymbol(server, 'http.server.connections')?.all?.();
  const sockets = itemsOf(connections).map((connection) => connection?.socket);
  return sockets.filter((socket) => hasMethods(socket, 'destroy'));
}

// Node: `_httpMessage`, the response on a connection. Without it, shutDown() does not find the
// responses under way, whose connections it then closes when they are idle.
function responsesUnderWay(server) {
  return socketsOf(server)
    .map((socket) => socket._httpMessage)
    .filter((response) => response?.headersSent === false && hasMethods(response, 'setHeader'));
}

// Node: `server` of a socket that a server has accepted. Without it, shutDown() knows the
// connections of socketsOf() and the sessions of sessionsOf() alone.
const serverOf = (socket) => (isObject(socket?.server) ? socket.server : undefined);

// Node: the session of HTTP/2 of a socket, under whatever name. Without it, shutDown() finds the
// first session of a server by sessionsOf() alone.
function sessionOn(socket) {
  const values = Reflect.ownKeys(socket).map((name) => socket[name]);
  return values.find((value) => hasMethods(value, 'close', 'destroy', 'goaway', 'once'));
}

// Node: a server's sessions of HTTP/2, under a symbol, from Node 24 on. Without it, shutDown()
// finds a session that is older than the loading of the package by its next request.
function sessionsOf(server) {
  const sessions = itemsOf(valueOfSymbol(server, 'sessions'));
  return sessions.filter((session) => hasMethods(session, 'close', 'destroy'));
}

function valueOfSymbol(object, description) {
  const symbols = Object.getOwnPropertySymbols(object);
  return object[symbols.find((symbol) => symbol.description === description)];
}

const itemsOf = (value) => (typeof value?.[Symbol.iterator] === 'function' ? [...value] : []);

const hasMethods = (object, ...names) =>
  isObject(object) && names.every((name) => typeof object[name] === 'function');

// Node: a request has a `_read()`, which is called when something begins to read the body. The
// call is documented for every stream, unless its buffer is full: then the client has sent a body
// without waiting for `100 Continue`. A request without that method counts as read from the start:
// its client gets `100 Continue` at once.
function onFirstRead(request, callback) {
  const { _read: read } = request;
  if (typeof read !== 'function') {
    callback();
    return;
  }
  request._read = function (size) {
    request._read = read;
    callback();
    return read.call(this, size);
  };
}

// Node: `_sent100` of a response of HTTP/1. Without it, a client that has got `100 Continue` gets
// it again, which HTTP permits.
const hasSentContinue = (response) => response._sent100 === true;

// Node: console.profileEnd() of `node:inspector` delivers the profile before it returns. Otherwise
// the reports have no stacks.
function profileOrNone(profile) {
  const isKnown = [profile?.nodes, profile?.samples, profile?.timeDeltas].every(Array.isArray);
  return isKnown ? profile : { nodes: [], samples: [], timeDeltas: [], startTime: 0, endTime: 0 };
}

// Node: V8 handles a message of the inspector while JavaScript runs, with that code on the stack; a
// worker is found by its title in the domain NodeWorker, `[worker 1]`. Otherwise reports of slow
// callbacks and of stuckAfter have no stacks (see lib/watch/sampler.js, slow/stuck-thread.js). V8:
// call sites know where their functions begin. Otherwise a place is a line, and not a function.

// Node: process.kill() calls `process._kill`, and before a signal that may end the process itself,
// that runs what runs at the end, but no listener of `exit`. Without it, such a process may write
// that it waits for a debugger, which is the sampler. Returns a function that ends the calls.
function aroundKill(callback) {
  const { _kill: kill } = process;
  if (typeof kill !== 'function') return () => {};
  const around = (...args) => callback(() => Reflect.apply(kill, process, args));
  process._kill = around;
  return () => {
    if (process._kill === around) process._kill = kill;
  };
}

// V8: the names of samples that are no function, which are in parentheses, that of a garbage
// collection, and that of a sample without a stack. Otherwise a report names them as functions, and
// idle time as a slow callback; the last two divide a callback.
const GARBAGE_COLLECTOR = '(garbage collector)';
// Ours, of native code that no stack names.
const NATIVE_CALL = 'a native call';
const garbageCollection = (time) => {
  const where = { scriptName: '', lineNumber: 0, columnNumber: 0 };
  return { functionName: GARBAGE_COLLECTOR, ...where, self: time, total: time };
};
const hasNoStack = ({ functionName, url }) => url === '' && functionName === '(program)';
const isGarbageCollection = ({ functionName }) => functionName === GARBAGE_COLLECTOR;
const isNoFunction = ({ functionName, url }) =>
  url === '' && functionName.startsWith('(') && functionName !== GARBAGE_COLLECTOR;

// V8: the name of a compiled regular expression, or of a method of one. Otherwise a report takes it
// for a native call.
const isRegularExpression = ({ functionName, scriptName }) =>
  scriptName === '' && /^RegExp(?:: |\.)/.test(functionName);

// Node: the names of open servers among the active resources. Without them, the flag takes the time
// up to the first connection for the start of the program, and serveHealth() a server that listened
// before as none.
const SERVERS = ['TCPServerWrap', 'PipeServerWrap'];
const hasOpenServer = () =>
  process.getActiveResourcesInfo?.().some((each) => SERVERS.includes(each));

// sinon, whose timers jest and vitest use: a fake has the host's own function on its clock, with an
// underscore before the name. Otherwise fakes that are installed before the package is loaded (by
// jest's `enableGlobally`, or if a test loads the package late) also apply to the package.
function original(replaced, name) {
  const kept = replaced.clock?.[`_${name}`];
  return typeof kept === 'function' ? kept : replaced;
}

// sinon: the fake timers that wait, a Map or an object by version. `countTimers()`, which is
// documented, tells whether these are all. Undefined otherwise, and for other fakes: the clock of a
// test scheduler then moves in steps.
function waitingTimers(clock) {
  if (typeof clock?.countTimers !== 'function') return undefined;
  const { timers = {} } = clock;
  const waiting = [...(timers?.values?.() ?? Object.values(timers ?? {}))];
  return waiting.length === clock.countTimers() ? waiting : undefined;
}

// Deno: the functions of which its AsyncResource and setImmediate() are made. Without the first
// two, which must be a pair, a task takes an AsyncResource, and three times as long. Without the
// third, the next task waits for an immediate.
function denoCore() {
  const { Deno } = globalThis;
  const { getAsyncContext, setAsyncContext, runNextTicks } = Deno?.[Deno.internal]?.core ?? {};
  const core = {};
  if (typeof runNextTicks === 'function') core.runNextTicks = () => runNextTicks();
  try {
    const context = getAsyncContext();
    setAsyncContext(context);
    if (getAsyncContext() === context) Object.assign(core, { getAsyncContext, setAsyncContext });
  } catch {
    // The functions are missing, or have other parameters.
  }
  return core;
}

// Deno and Bun: how seldom Deno polls for I/O while immediates run, and that Bun does not sleep
// while one waits (see lib/portable/turns.js). In a version that does otherwise, some turns come by
// a timer without need.

// React: `status`, `value` and `reason` of a thenable (see integrations/react/thenable.js). A React
// that does not read `status` gets each section at once, without a gate. And that React continues
// in an immediate: each opening asks whether React comes later (see openings.js).

// React: in development the children of an element carry a mark that their keys were checked (see
// regating.js). Without it, React warns of missing keys in development.

// React: `$$typeof` of a component, as in the package react-is. A component of an unknown kind is
// rendered as it is, together with those inside of it.
const isMemo = (type) => type?.$$typeof === Symbol.for('react.memo');
const isTransparentType = (type) =>
  type?.$$typeof === Symbol.for('react.context') ||
  type?.$$typeof === Symbol.for('react.client.reference');

// React: `$$typeof` of a function that stands for a component of the client. Without it, the server
// refuses the section with React's own error, as it cannot call the function.
const isReferenceToClient = (component) => component.$$typeof !== undefined;

// React: `isReactComponent` on the prototypes of class components. Without it, a class is known by
// its method render().
const isClassComponent = ({ prototype }) =>
  Boolean(prototype?.isReactComponent) || typeof prototype?.render === 'function';

// Next.js: the environment variable of a build, and the AsyncLocalStorage of a render, which is a
// global under a symbol, as Next.js is loaded more than once. Without them, the sections of a
// prerender wait for their gates, and Next.js leaves them to each request.
const isBuildOfNext = () => process.env.NEXT_PHASE === 'phase-production-build';
const NEXT_STORAGE = /^@next\/work-unit-async-storage@/;

function storageOfNext() {
  const symbol = Object.getOwnPropertySymbols(globalThis)
    .find(({ description }) => NEXT_STORAGE.test(description));
  const storage = symbol === undefined ? undefined : globalThis[symbol];
  return hasMethods(storage, 'getStore') ? storage : undefined;
}

// BullMQ: the methods of a Worker that IdleWorker overrides. Without one of them, jobs may also be
// fetched while the loop is busy: they run in the background, and are given back if they get no
// turn. IdleWorker warns of it.
const methodsMissingIn = ({ prototype }) =>
  ['_getNextJob', 'processJob', 'nextJobFromJobData', 'updateDelays', 'extendJobLocks']
    .filter((name) => typeof prototype[name] !== 'function');

// BullMQ: `waiting`, `closing`, `paused` and `closed` of a Worker, which need no probe, as only the
// worker waits longer without them. `waiting` is the fetch that waits for a job: BullMQ's loop that
// does not read it awaits the fetch itself, and only then starts jobs that it has fetched before.
// IdleWorker that finds no `closing` or `paused` waits for an idle loop once more, and BullMQ then
// fetches nothing; a close that cannot be forced ends with the jobs.

// BullMQ: the list of locks that a worker renews. Without it, a late renewal reports a lost lock.
const untrackJob = ({ lockManager }, job) => lockManager?.untrackJob?.(job.id);

// BullMQ: the repetition of a command that failed because Redis was not there. Without it, the
// command fails with an event `error`, and another worker gets the job when its lock has expired.
async function retry(worker, command, delayInMs) {
  if (hasMethods(worker, 'retryIfFailed')) {
    return worker.retryIfFailed(command, { delayInMs, onlyEmitError: true });
  }
  try {
    return await command();
  } catch (error) {
    worker.emit('error', error);
    return undefined;
  }
}

// prom-client: a register shows any object with the members of its metrics, whose get() returns the
// values, and `metricName` of a value replaces the name. Asks for a metric with histograms that the
// register has. Otherwise collectTaskMetrics() takes its metrics back, and warns.
async function showsParts(register, name) {
  // A register need not be prom-client's own.
  if (!hasMethods(register, 'getSingleMetricAsString')) return true;
  try {
    return `${await register.getSingleMetricAsString(name)}`.includes(`\n${name}_count{`);
  } catch {
    return false;
  }
}

module.exports = {
  NATIVE_CALL,
  aroundKill,
  denoCore,
  garbageCollection,
  hasNoStack,
  hasNoStores,
  hasOpenServer,
  hasSentContinue,
  isBuildOfNext,
  isClassComponent,
  isGarbageCollection,
  isMemo,
  isNoFunction,
  isReferenceToClient,
  isRegularExpression,
  isResourceOfChain,
  isTransparentType,
  learnResources,
  methodsMissingIn,
  onFirstRead,
  original,
  profileOrNone,
  responsesUnderWay,
  retry,
  runTicksOfNode,
  serverOf,
  sessionOn,
  sessionsOf,
  showsParts,
  socketsOf,
  storageOfNext,
  untrackJob,
  waitingTimers,
};

'use strict';

// The record of a response (see requests.js), and the points where the code of the request calls
// the response: up to each of them, the thread's time is charged to the request; see
// lib/tasks/ledger.js. The events of a response run in the async context of its request. Otherwise
// the events that the connection causes would run in the context of the connection.
//
// Methods are replaced in the class of a response, once: that costs each response less than methods
// of its own, and what frameworks and middleware replace goes on to call them.

const { ledger } = require('../internal.js');
const { noteEnd } = require('./responses.js');
const { tracedRoute } = require('./traced-route.js');

const RECORD = Symbol('uv-scheduler.request');
const OBSERVED = Symbol('uv-scheduler.observed');
const CONTEXT = Symbol('uv-scheduler.context');
const ROUTE = Symbol('uv-scheduler.route');
const IS_POINT = Symbol('uv-scheduler.point');

const METHODS = ['writeHead', 'write', 'end'];

const descriptor = {
  __proto__: null, configurable: true, enumerable: false, writable: true, value: undefined,
};

function define(object, key, value) {
  descriptor.value = value;
  Object.defineProperty(object, key, descriptor);
  descriptor.value = undefined;
}

// The object in the chain of prototypes of another one that has a property itself.
function ownerOf(object, name) {
  let owner = object;
  while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
  return owner;
}

function toPoint(name, method) {
  return function (...args) {
    const record = chargedAt(this);
    if (!record?.isCharged && !record?.isLate) return Reflect.apply(method, this, args);
    ledger.settle(record);
    (record.observer ?? record).answers?.();
    if (name === 'end') noteRoute(this);
    try {
      return Reflect.apply(method, this, args);
    } finally {
      ledger.settle(record);
      if (name === 'end') {
        record.endCharge();
        noteEnd(this);
      }
    }
  };
}

// The code that ends the response is in the context of the request, unlike the events of the end.
function noteRoute({ req: request }) {
  const route = tracedRoute();
  if (route !== undefined) define(request, ROUTE, route);
}

const routeOn = (request) => request[ROUTE];

function toEmit(emit, contextOf = (response) => response[CONTEXT]) {
  return function own(...args) {
    const context = contextOf(this);
    // APM agents that replace the method later have chosen the context of the event.
    if (context === undefined || this.emit !== own) return Reflect.apply(emit, this, args);
    return context.runInAsyncScope(emit, this, ...args);
  };
}

function replace(owner, name, method) {
  define(method, IS_POINT, true);
  define(owner, name, method);
}

// Charges the thread's time to the record of a response at its points, and to what is observed of
// it.
function addPoints(response, record) {
  record.observer ??= response[OBSERVED];
  replaceMethods(response);
}

// Charges it to a record that an admission only observes.
function observe(response, observed) {
  const record = response[RECORD];
  if (record?.isCharged) record.observer = observed;
  define(response, OBSERVED, observed);
  replaceMethods(response);
}

function observeNoMore(response) {
  define(response, OBSERVED, undefined);
}

// The record that is charged at the points of a response, if it has any.
function chargedAt(response) {
  const record = response[RECORD];
  return record?.isCharged ? record : response[OBSERVED];
}

function replaceMethods(response) {
  for (const name of METHODS) {
    const method = response[name];
    // Frameworks' mocks of a response may lack some.
    if (typeof method !== 'function' || method[IS_POINT]) continue;
    replace(ownerOf(response, name), name, toPoint(name, method));
  }
}

// Runs the listeners of a request and its response in an async context. The events of a request
// whose body has arrived begin in that context.
function bindEvents(request, response, context) {
  if (!request.complete) request.emit = toEmit(request.emit, () => context);
  const { emit } = response;
  if (!emit[IS_POINT]) {
    // Not the class of all emitters.
    const owner = Object.hasOwn(response, 'emit') ? response : ownerOf(response, 'end');
    replace(owner, 'emit', toEmit(emit));
  }
  define(response, CONTEXT, context);
}

const recordOn = (response) => response[RECORD];

function setRecord(response, record) {
  define(response, RECORD, record);
}

// The same for a record that begins now.
function beginPoints(response, record) {
  addPoints(response, record);
  record.beginCharge();
  ledger.settle(undefined);
}

// The record that only observes a response, if there is one.
const observerOf = (response) => response[OBSERVED];

module.exports = {
  addPoints, beginPoints, bindEvents, chargedAt, observe, observeNoMore, observerOf, recordOn,
  routeOn, setRecord,
};

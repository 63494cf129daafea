'use strict';

// The points of a response: where the code of a request calls it, the thread's time up to then is
// charged to the request; see lib/tasks/ledger.js.

const { ledger } = require('../internal.js');

const POINTS = Symbol('uv-scheduler.points');

// Each replaces the method of a response, which frameworks and middleware may have replaced before.
const METHODS = Object.fromEntries(['writeHead', 'write', 'end'].map((name) => {
  return [name, function (...args) {
    const { record, methods } = this[POINTS];
    if (!record?.isCharged && !record?.isLate) return Reflect.apply(methods[name], this, args);
    ledger.settle(record);
    (record.observer ?? record).answers?.();
    try {
      return Reflect.apply(methods[name], this, args);
    } finally {
      ledger.settle(record);
      if (name === 'end') record.endCharge();
    }
  }];
}));

// Charges the thread's time to a record at the points of a response, and of objects that inherit
// from it. A response whose request begins again in another admission has its points already. One
// that is observed as well is charged for both.
function addPoints(response, record) {
  const points = response[POINTS];
  if (points !== undefined) {
    const { record: other } = points;
    const [kept, observer] = record.isObserver ? [other, record] : [record, other];
    points.record = kept ?? record;
    if (observer?.isObserver && kept !== undefined) kept.observer = observer;
    return;
  }
  const methods = {};
  for (const [name, method] of Object.entries(METHODS)) {
    // Frameworks' mocks of a response may lack some.
    if (typeof response[name] !== 'function') continue;
    methods[name] = response[name];
    response[name] = method;
  }
  Object.defineProperty(response, POINTS, { __proto__: null, value: { record, methods } });
}

// The same for a record that begins now, unless the response has another one already, by an object
// from which it inherits.
function beginPoints(response, record) {
  const known = response[POINTS]?.record;
  if (known !== undefined && !known.isObserver) return;
  addPoints(response, record);
  record.beginCharge();
  ledger.settle(undefined);
}

// The record that is charged at the points of a response, if it has any.
const chargedAt = (response) => response[POINTS]?.record;

// The record that only observes a response, if there is one.
function observerOf(response) {
  const record = chargedAt(response);
  return record?.isObserver ? record : record?.observer;
}

// The response does not keep the record any more.
function removePoints(response, record) {
  const points = response[POINTS];
  if (points?.record === record) points.record = undefined;
}

module.exports = { addPoints, beginPoints, chargedAt, observerOf, removePoints };

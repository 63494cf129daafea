'use strict';

// The points of a response: where the code of a request calls it, the thread's time up to then is
// charged to the request; see lib/tasks/ledger.js.

const { ledger } = require('../internal.js');

const POINTS = Symbol('uv-scheduler.points');

// Each replaces the method of a response, which frameworks and middleware may have replaced before.
const METHODS = Object.fromEntries(['writeHead', 'write', 'end'].map((name) => {
  return [name, function (...args) {
    const { record, methods } = this[POINTS];
    if (!record?.isCharged) return Reflect.apply(methods[name], this, args);
    ledger.settle(record);
    try {
      return Reflect.apply(methods[name], this, args);
    } finally {
      ledger.settle(record);
      if (name === 'end') record.endCharge();
    }
  }];
}));

// Charges the thread's time to a record at the points of a response, and of objects that inherit
// from it. A response whose request begins again in another admission has its points already.
function addPoints(response, record) {
  const points = response[POINTS];
  if (points !== undefined) {
    points.record = record;
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
  if (response[POINTS]?.record !== undefined) return;
  addPoints(response, record);
  record.beginCharge();
  ledger.settle(undefined);
}

// The response does not keep the record any more.
function removePoints(response, record) {
  const points = response[POINTS];
  if (points?.record === record) points.record = undefined;
}

module.exports = { addPoints, beginPoints, removePoints };

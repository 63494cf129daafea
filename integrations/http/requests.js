'use strict';

// The requests of this thread. Each has one record, a Request (see lib/tasks/request.js), however
// often controllerFor() and admissions name its response or signal. Creates the records, and ends
// them with their responses.

const { flowOfRequest, onAbort, Request } = require('../internal.js');
const { beginPoints, recordOn, setRecord } = require('./points.js');
const { onceOver } = require('./responses.js');

// By signal. Responses have their records themselves, as tables of weak references are slow to
// collect.
const ofSignals = new WeakMap();

// In place of the record of a request that an admission has refused before it had one.
const REFUSED = Symbol('refused');

function find(response) {
  const known = recordOn(response);
  return known === REFUSED ? undefined : known;
}

// The record of a response or signal, with the members that controllerFor() was given.
function recordFor(responseOrSignal, members, isSignal) {
  let record = isSignal ? ofSignals.get(responseOrSignal) : find(responseOrSignal);
  if (record !== undefined) record.change(members);
  else if (isSignal) record = createOfSignal(responseOrSignal, members);
  else record = createCharged(responseOrSignal, members);
  record.given = { ...record.given, ...members };
  return record;
}

// The admission in which the request has begun, the last one if there are several.
const admissionOf = (response) => find(response)?.admission;

// The record of a response that an admission gets. It has the priority, the key and the weight of
// the members, unless controllerFor() was given others.
function recordOf(response, members) {
  const record = find(response);
  if (record === undefined) return createOfResponse(response, members);
  record.change({ ...members, ...record.given });
  return record;
}

// That of an admission is charged from its start on.
function createCharged(response, members) {
  const record = createOfResponse(response, members);
  if (!record.isOver) beginPoints(response, record);
  return record;
}

function createOfResponse(response, members) {
  const isRefused = recordOn(response) === REFUSED;
  const record = new Request(members);
  setRecord(response, record);
  if (isRefused) record.abort();
  onceOver(response, (reason) => {
    record.end(reason);
    // Later calls still see that the request was aborted. Otherwise nothing is kept.
    if (!record.isAborted) setRecord(response, undefined);
  });
  return record;
}

// In code of an admitted request, a signal belongs to that request, unless it has a key.
function createOfSignal(signal, members) {
  const flow = members.fairnessKey === undefined ? flowOfRequest() : undefined;
  const record = new Request(members, flow);
  ofSignals.set(signal, record);
  if (flow === undefined) record.flow.endWhenIdle();
  onAbort(signal, (reason) => {
    record.abort(reason);
    if (flow === undefined) record.flow.end(false);
  });
  return record;
}

// An admission refuses a request that it has not let wait.
function noteRefused(response) {
  const record = find(response);
  if (record === undefined) setRecord(response, REFUSED);
  else record.abort();
}

module.exports = { admissionOf, noteRefused, recordFor, recordOf };

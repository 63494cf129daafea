'use strict';

// Checks the options of createAdmission() and adds their defaults.

const { webidl } = require('../../internal.js');

const ROUTE = 'route';

const OPERATION = "'createAdmission'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const CLASS = new webidl.Parameter(OPERATION, 'the result of classify()');

const KEY = new webidl.Parameter(OPERATION, 'the result of fairnessKey()');
const WEIGHT = new webidl.Parameter(OPERATION, 'the result of fairnessWeight()');

const LABEL = new webidl.Parameter(OPERATION, 'the result of label()');

const toCount = webidl.toNumberThat('a whole number above 0, or Infinity', (number) => {
  return number === Infinity || (Number.isSafeInteger(number) && number > 0);
});

const BOUNDS = Object.fromEntries(webidl.PRIORITIES.map((each) => [each, webidl.toBound]));
// Only background requests have this bound.
const RAISE_AFTER = { background: webidl.toBound };

const toFraction = webidl.toNumberThat('a number above 0, at most 1', (part) => {
  return part > 0 && part <= 1;
});

const toStatus = webidl.toNumberThat('a status from 400 to 599', (status) => {
  return Number.isInteger(status) && status >= 400 && status <= 599;
});

const REFUSAL = {
  status: toStatus,
  shareStatus: toStatus,
  headers: webidl.toDictionary,
};

const MEMBERS = {
  classify: webidl.toFunction,
  // The name of a route is made by the admission.
  fairnessKey: (value, parameter) => {
    return value === ROUTE ? value : webidl.toFunction(value, parameter);
  },
  fairnessWeight: webidl.toFunction,
  label: webidl.toFunction,
  refuseAfter: (value, parameter) => webidl.readOptions(value, parameter, BOUNDS),
  maxQueued: toCount,
  maxRunning: toCount,
  maxHeap: toFraction,
  observe: (value, parameter) => {
    return typeof value === 'function' ? webidl.toFunction(value, parameter) : () => Boolean(value);
  },
  raiseAfter: (value, parameter) => webidl.readOptions(value, parameter, RAISE_AFTER),
  refusal: (value, parameter) => webidl.readOptions(value, parameter, REFUSAL),
  refuse: webidl.toFunction,
  routes: Boolean,
};

// The statuses of a request whose key has used more than its share, and of others.
const DEFAULT_REFUSAL = { status: 503, shareStatus: 429, headers: {} };

// In milliseconds. Visitors leave after one second or a few; robots wait.
const DEFAULT_REFUSE_AFTER = { 'user-blocking': 1000, 'user-visible': 250, 'background': 500 };

// About ten megabytes of requests.
const DEFAULT_MAX_QUEUED = 10_000;

// In milliseconds.
const DEFAULT_RAISE_AFTER = 400;

function toOptions(value) {
  const { refuseAfter, maxQueued = DEFAULT_MAX_QUEUED, maxRunning = Infinity, raiseAfter, refusal,
    ...rest } = webidl.readOptions(value, OPTIONS, MEMBERS);
  webidl.checkWeight(rest.fairnessKey, rest.fairnessWeight, OPTIONS.member('fairnessWeight'));
  return {
    ...rest,
    refusal: { ...DEFAULT_REFUSAL, ...refusal },
    refuseAfter: { ...DEFAULT_REFUSE_AFTER, ...refuseAfter },
    adapting: toAdapting(refuseAfter),
    maxQueued,
    maxRunning,
    raiseAfter: raiseAfter?.background ?? DEFAULT_RAISE_AFTER,
  };
}

// By priority, whether the bound is the default, which grows with the time that requests take.
function toAdapting(refuseAfter) {
  const { PRIORITIES } = webidl;
  return Object.fromEntries(PRIORITIES.map((each) => [each, refuseAfter?.[each] === undefined]));
}

// Converts the result of `classify`. undefined is the default.
function toClass(value) {
  return webidl.optional(value, webidl.toPriority, CLASS) ?? 'user-visible';
}

// Converts the result of `fairnessKey`. undefined is the key of all requests without one.
function toKey(value) {
  return webidl.optional(value, webidl.toFairnessKey, KEY) ?? '';
}

// Converts the result of `fairnessWeight`. undefined is the default.
function toWeight(value) {
  return webidl.optional(value, webidl.toFairnessWeight, WEIGHT);
}

// Converts the result of `label`. undefined is the default.
function toLabel(value) {
  return webidl.optional(value, webidl.toString, LABEL);
}

module.exports = { ROUTE, toClass, toKey, toLabel, toOptions, toWeight };

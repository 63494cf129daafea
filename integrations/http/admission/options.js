'use strict';

// The options of createAdmission(): checks them, and knows their defaults.

const webidl = require('../../../lib/webidl/conversions.js');

const OPERATION = "'createAdmission'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const CLASS = new webidl.Parameter(OPERATION, 'what classify() returns');

const KEY = new webidl.Parameter(OPERATION, 'what fairnessKey() returns');
const WEIGHT = new webidl.Parameter(OPERATION, 'what fairnessWeight() returns');

const toCount = webidl.toNumberThat('a whole number above 0, or Infinity', (number) => {
  return number === Infinity || (Number.isSafeInteger(number) && number > 0);
});

const BOUNDS = Object.fromEntries(webidl.PRIORITIES.map((each) => [each, webidl.toBound]));
// Requests of the background alone have this bound.
const MAX_WAIT = { background: webidl.toBound };

const MEMBERS = {
  classify: webidl.toFunction,
  fairnessKey: webidl.toFunction,
  fairnessWeight: webidl.toFunction,
  refuseAfter: (value, parameter) => webidl.readOptions(value, parameter, BOUNDS),
  maxQueued: toCount,
  maxRunning: toCount,
  maxWait: (value, parameter) => webidl.readOptions(value, parameter, MAX_WAIT),
  refuse: webidl.toFunction,
};

// In milliseconds. Visitors leave after a second or some; robots wait.
const DEFAULT_REFUSE_AFTER = { 'user-blocking': 1000, 'user-visible': 250, 'background': 500 };

// Some ten megabytes of requests.
const DEFAULT_MAX_QUEUED = 10_000;

// In milliseconds.
const DEFAULT_MAX_WAIT = 400;

function toOptions(value) {
  const { refuseAfter, maxQueued = DEFAULT_MAX_QUEUED, maxRunning = Infinity, maxWait, ...rest } =
    webidl.readOptions(value, OPTIONS, MEMBERS);
  return {
    ...rest,
    refuseAfter: { ...DEFAULT_REFUSE_AFTER, ...refuseAfter },
    maxQueued,
    maxRunning,
    maxWait: maxWait?.background ?? DEFAULT_MAX_WAIT,
  };
}

// What `classify` returns. Nothing is the default.
function toClass(value) {
  return webidl.optional(value, webidl.toPriority, CLASS) ?? 'user-visible';
}

// What `fairnessKey` returns. Nothing is the key of all requests without one.
function toKey(value) {
  return webidl.optional(value, webidl.toFairnessKey, KEY) ?? '';
}

// What `fairnessWeight` returns. Nothing is the default.
function toWeight(value) {
  return webidl.optional(value, webidl.toFairnessWeight, WEIGHT);
}

module.exports = { toClass, toKey, toOptions, toWeight };

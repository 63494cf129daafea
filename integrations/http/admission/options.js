'use strict';

// The options of createAdmission(): checks them, and knows their defaults.

const webidl = require('../../../lib/webidl/conversions.js');

const OPERATION = "'createAdmission'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const CLASSIFY = new webidl.Parameter(OPERATION, 'the member classify');
const REFUSE_AFTER = new webidl.Parameter(OPERATION, 'the member refuseAfter');
const MAX_QUEUED = new webidl.Parameter(OPERATION, 'the member maxQueued');
const REFUSE = new webidl.Parameter(OPERATION, 'the member refuse');
const MAX_WAIT = new webidl.Parameter(OPERATION, 'the member maxWait');
const MAX_RUNNING = new webidl.Parameter(OPERATION, 'the member maxRunning');
const OF_BACKGROUND = new webidl.Parameter(OPERATION, "the member maxWait['background']");
const CLASS = new webidl.Parameter(OPERATION, 'what classify() returns');

const MEMBERS = ['classify', 'refuseAfter', 'maxQueued', 'maxRunning', 'maxWait', 'refuse'];

// In milliseconds. Visitors leave after a second or some; robots wait.
const DEFAULT_REFUSE_AFTER = { 'user-blocking': 1000, 'user-visible': 250, 'background': 500 };

// Some ten megabytes of requests.
const DEFAULT_MAX_QUEUED = 10_000;

// In milliseconds.
const DEFAULT_MAX_WAIT = 400;

function toOptions(value) {
  const dictionary = webidl.toDictionary(value, OPTIONS) ?? {};
  webidl.checkMembers(dictionary, MEMBERS, OPTIONS);
  return {
    classify: webidl.optional(dictionary.classify, webidl.toFunction, CLASSIFY),
    refuseAfter: toRefuseAfter(dictionary.refuseAfter),
    maxQueued: webidl.optional(dictionary.maxQueued, toCount, MAX_QUEUED) ?? DEFAULT_MAX_QUEUED,
    maxRunning: webidl.optional(dictionary.maxRunning, toCount, MAX_RUNNING) ?? Infinity,
    maxWait: toMaxWait(dictionary.maxWait),
    refuse: webidl.optional(dictionary.refuse, webidl.toFunction, REFUSE),
  };
}

function toRefuseAfter(value) {
  const dictionary = webidl.toDictionary(value, REFUSE_AFTER) ?? {};
  webidl.checkMembers(dictionary, webidl.PRIORITIES, REFUSE_AFTER);
  return Object.fromEntries(webidl.PRIORITIES.map((priority) => {
    const parameter = new webidl.Parameter(OPERATION, `the member refuseAfter['${priority}']`);
    const bound = webidl.optional(dictionary[priority], webidl.toBound, parameter);
    return [priority, bound ?? DEFAULT_REFUSE_AFTER[priority]];
  }));
}

// The bound for requests of the background, which alone has one.
function toMaxWait(value) {
  const dictionary = webidl.toDictionary(value, MAX_WAIT) ?? {};
  webidl.checkMembers(dictionary, ['background'], MAX_WAIT);
  return webidl.optional(dictionary.background, webidl.toBound, OF_BACKGROUND) ?? DEFAULT_MAX_WAIT;
}

function toCount(value, parameter) {
  const expected = 'a whole number above 0, or Infinity';
  if (typeof value !== 'number') throw parameter.error(expected, value);
  const isCount = value === Infinity || (Number.isSafeInteger(value) && value > 0);
  if (!isCount) throw parameter.error(expected, value, 'ERR_OUT_OF_RANGE');
  return value;
}

// What `classify` returns. Nothing is the default.
function toClass(value) {
  return webidl.optional(value, webidl.toPriority, CLASS) ?? 'user-visible';
}

module.exports = { toClass, toOptions };

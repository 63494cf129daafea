'use strict';

// controllerFor(): the TaskController of a request, which is aborted when its client leaves, and
// whose priority ends with the response.

const { webidl } = require('../internal.js');
const { recordFor } = require('./requests.js');
const { isResponse } = require('./responses.js');

const OPERATION = "'controllerFor'";
const SOURCE = new webidl.Parameter(OPERATION, 'the argument responseOrSignal');
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const MEMBERS = {
  fairnessKey: webidl.toFairnessKey,
  fairnessWeight: webidl.toFairnessWeight,
  priority: webidl.toPriority,
};

const EXPECTED = 'a response of node:http or node:http2, or an AbortSignal';

function controllerFor(responseOrSignal, options = undefined) {
  const isSignal = webidl.isAbortSignal(responseOrSignal);
  if (!isSignal && !isResponse(responseOrSignal)) throw SOURCE.error(EXPECTED, responseOrSignal);
  const members = webidl.readOptions(options, OPTIONS, MEMBERS);
  webidl.checkWeight(members.fairnessKey, members.fairnessWeight, OPTIONS.member('fairnessWeight'));
  return recordFor(responseOrSignal, members, isSignal).controller;
}

module.exports = { controllerFor };

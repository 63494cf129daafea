'use strict';

// The common parts of the metrics and spans of OpenTelemetry.

const { diag } = require('@opentelemetry/api');
const { isMainThread, threadId } = require('node:worker_threads');

// The name and the version of the scope. scripts/setup/bundle.js writes the version into dist/.
const SCOPE = ['uv-scheduler', process.env.UV_SCHEDULER_VERSION];

// Distinguishes the threads of a process, which share the attributes of the process.
const THREAD = isMainThread ? {} : { 'thread.id': threadId };

// Calls a function of OpenTelemetry. An error is logged and does not affect tasks.
function guarded(call) {
  try {
    return call();
  } catch (error) {
    diag.error(`uv-scheduler: ${error?.message}`, error);
    return undefined;
  }
}

module.exports = { SCOPE, THREAD, guarded };

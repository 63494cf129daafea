'use strict';

// What the metrics and the spans of OpenTelemetry have in common.

const { diag } = require('@opentelemetry/api');
const { isMainThread, threadId } = require('node:worker_threads');

// The name and the version of the scope. scripts/setup/bundle.js writes the version into dist/.
const SCOPE = ['uv-scheduler', process.env.UV_SCHEDULER_VERSION];

// The threads of a process share what describes the process.
const THREAD = isMainThread ? {} : { 'thread.id': threadId };

// Calls a function of OpenTelemetry. If it fails, tasks go on.
function guarded(call) {
  try {
    return call();
  } catch (error) {
    diag.error(`uv-scheduler: ${error?.message}`, error);
    return undefined;
  }
}

module.exports = { SCOPE, THREAD, guarded };

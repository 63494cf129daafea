'use strict';

// The route that OpenTelemetry knows of a request, which it writes to a span as `http.route`. Its
// API is where each of its copies finds it; nothing of it is loaded.

const API = Symbol.for('opentelemetry.js.api.1');
const METADATA = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');

// In the context of the request. Undefined if there is none.
function tracedRoute() {
  const route = globalThis[API]?.context?.active?.()?.getValue?.(METADATA)?.route;
  return typeof route === 'string' && route.startsWith('/') ? route : undefined;
}

module.exports = { tracedRoute };

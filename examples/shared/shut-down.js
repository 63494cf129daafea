'use strict';

// Ends a server of node:http, as Express has one, when SIGTERM or SIGINT comes: what it has begun
// is sent to its end, and background tasks are aborted. `drain` is that of uv-scheduler.

function shutDownOnSignals(server, drain) {
  async function shutDown() {
    server.close();
    // Connections that visitors keep alive would hold the process for some seconds more.
    setInterval(() => server.closeIdleConnections(), 100).unref();
    console.log('drained:', await drain({ timeout: 10_000 }));
  }
  process.once('SIGTERM', shutDown);
  process.once('SIGINT', shutDown);
}

module.exports = { shutDownOnSignals };

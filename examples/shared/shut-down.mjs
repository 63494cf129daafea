// Ends a server of node:http, as Express has one, when SIGTERM or SIGINT comes: what it has begun
// is sent to its end, and background tasks are aborted. `shutDown` is that of uv-scheduler/http. A
// close() of the server would wait for the spare connections of browsers.

export function shutDownOnSignals(server, shutDown) {
  async function end() {
    console.log('ended:', await shutDown(server, { timeout: 10_000 }));
  }
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

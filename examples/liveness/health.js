// The thread that answers GET /health: 200 while the main thread is idle or busy, and 503 once it
// is stuck.

import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { heartbeat, period, port, stuckAfter } = workerData;

// For how long the heartbeat has not changed, in milliseconds. Each look adds one period, however
// late it comes: a process that was stopped, or a machine that slept, is not stuck.
let quiet = 0;
let last = 0;

setInterval(() => {
  const beat = Atomics.load(heartbeat, 0);
  quiet = beat === last ? quiet + period : 0;
  last = beat;
}, period);

function state() {
  if (quiet >= stuckAfter) return 'stuck';
  // One period passes between two beats, and the looks may fall on both sides of one.
  return quiet > 2 * period ? 'busy' : 'idle';
}

const server = http.createServer((req, res) => {
  if (req.url !== '/health') return res.writeHead(404).end();
  const answer = state();
  res.writeHead(answer === 'stuck' ? 503 : 200).end(`${answer}\n`);
});

server.listen(port, () => parentPort.postMessage(server.address().port));

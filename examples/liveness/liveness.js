// Answers the health check of an orchestrator from a thread of its own, which sees by a heartbeat
// in shared memory whether this thread's event loop turns. Needs nothing but Node.

import path from 'node:path';
import { Worker } from 'node:worker_threads';

// The interval at which this thread sets the heartbeat, in milliseconds.
const PERIOD = 100;

// Resolves to the port of the health check. The thread is stuck when its loop has not turned for
// `stuckAfter` milliseconds.
export function answerHealth({ port, stuckAfter }) {
  const heartbeat = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setInterval(() => Atomics.add(heartbeat, 0, 1), PERIOD).unref();
  const workerData = { heartbeat, period: PERIOD, port, stuckAfter };
  const worker = new Worker(path.join(import.meta.dirname, 'health.js'), { workerData });
  // The check ends with the program. If the thread of the check fails, so does the program.
  worker.unref();
  return new Promise((resolve) => worker.once('message', resolve));
}

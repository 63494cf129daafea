// A server that has a pool of threads for its work. Several jobs share a thread, and what somebody
// waits for overtakes the long ones there.

import http from 'node:http';
import path from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { controllerFor, shutDown } from 'uv-scheduler/http';

const JOBS = {
  '/report': { from: 2, to: 1_000_000, priority: 'user-visible' },
  '/preview': { from: 2, to: 5_000, priority: 'user-blocking' },
  '/statistics': { from: 2, to: 500_000, priority: 'background' },
};

const pool = new Piscina({
  filename: path.join(import.meta.dirname, 'worker.js'),
  minThreads: 2,
  maxThreads: 2,
  // Without this a thread has one job at a time, and there is nothing to choose.
  concurrentTasksPerWorker: 16,
});

// Runs a job on one of the threads. The job ends when the client leaves.
async function answer(res, job) {
  const { signal } = controllerFor(res);
  const { port1, port2 } = new MessageChannel();
  signal.addEventListener('abort', () => port1.postMessage('abort'));
  try {
    const result = await pool.run({ ...job, port: port2 }, { transferList: [port2] });
    res.setHeader('content-type', 'application/json').end(`${JSON.stringify(result)}\n`);
  } catch (error) {
    if (!signal.aborted) res.writeHead(500).end(`${error.message}\n`);
  } finally {
    port1.close();
  }
}

const server = http.createServer((req, res) => {
  if (Object.hasOwn(JOBS, req.url)) return answer(res, JOBS[req.url]);
  if (req.url === '/health') return res.end('ok\n');
  res.writeHead(404).end();
});
server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  console.log(Object.keys(JOBS).map((name) => url + name).join('\n'));
});

// The tasks are those of the threads, so this thread only answers the requests that it has. Then
// the threads end.
async function end() {
  await shutDown(server, { timeout: 10_000 });
  await pool.close();
  console.log('all requests are answered');
}
process.once('SIGTERM', end);
process.once('SIGINT', end);

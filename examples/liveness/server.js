// A server whose pages block its thread, for a second or for ever. Another thread answers /health,
// on a port of its own, and the reports say on standard error in which function the thread is.

import http from 'node:http';
import { reportSlowTasks } from 'uv-scheduler';
import { shutDown } from 'uv-scheduler/http';
import { answerHealth } from './liveness.js';

const { HEALTH_PORT = 3001, PORT = 3000 } = process.env;
const STUCK_AFTER = 5000;

reportSlowTasks(() => {}, { duration: Infinity, stuckAfter: STUCK_AFTER });

// Stand for code of your own application.
function render() {
  for (const end = Date.now() + 1000; Date.now() < end;);
}

function parse() {
  // Takes for years.
  return /^(\w+\s?)+$/.test(`${'word '.repeat(20)}!`);
}

const server = http.createServer((req, res) => {
  if (req.url === '/busy') render();
  else if (req.url === '/stuck') parse();
  else if (req.url !== '/') return res.writeHead(404).end();
  res.end('ok\n');
});

async function start() {
  const port = await answerHealth({ port: HEALTH_PORT, stuckAfter: STUCK_AFTER });
  server.listen(PORT, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}/busy`);
    console.log(`health: http://127.0.0.1:${port}/health`);
  });
}

start();

const end = () => shutDown(server, { timeout: 10_000 });
process.once('SIGTERM', end);
process.once('SIGINT', end);

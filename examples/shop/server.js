// Starts the shop, keeps its index up to date, and ends both when SIGTERM or SIGINT comes.

import { serveHealth } from 'uv-scheduler/health';
import { shutDown } from 'uv-scheduler/http';
import { app } from './app.js';
import { rebuildIndex } from './catalogue.js';

const BETWEEN_REBUILDS = 30_000;
const END_DELAY = Number(process.env.END_DELAY ?? 0);
const END_TIMEOUT = Number(process.env.END_TIMEOUT ?? 10_000);

const { HEALTH_PORT } = process.env;
if (HEALTH_PORT) serveHealth({ port: HEALTH_PORT });

const { HOST = '127.0.0.1', PORT = 3000 } = process.env;
const server = app.listen(PORT, HOST, (error) => {
  if (error) throw error;
  console.log(`http://${HOST}:${server.address().port}/`);
});

// A pause behind each rebuild: crawlers are background work, too, and share the spare time with it.
let timer;
async function keepIndex() {
  try {
    await rebuildIndex();
  } catch (error) {
    if (error.name !== 'AbortError') console.error(error); // drain() ends it.
  }
  timer = setTimeout(keepIndex, BETWEEN_REBUILDS).unref();
}
keepIndex();

async function end() {
  clearTimeout(timer);
  console.log('ended:', await shutDown(server, { delay: END_DELAY, timeout: END_TIMEOUT }));
}
process.once('SIGTERM', end);
process.once('SIGINT', end);

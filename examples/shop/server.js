// Starts the shop, keeps its index up to date, and ends both when SIGTERM or SIGINT comes.

import { shutDown } from 'uv-scheduler/http';
import { app } from './app.js';
import { rebuildIndex } from './catalogue.js';

const BETWEEN_REBUILDS = 30_000;
const END_TIMEOUT = Number(process.env.END_TIMEOUT ?? 10_000);

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`http://127.0.0.1:${server.address().port}/`);
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
  // Pages are sent to their ends. Background tasks and crawlers that wait are not served.
  console.log('ended:', await shutDown(server, { timeout: END_TIMEOUT }));
}
process.once('SIGTERM', end);
process.once('SIGINT', end);

// The helpers that teams write for themselves, each with the lines that replace it, and the counts
// that differ.

import { createServer } from 'node:http';
import { setImmediate as pause } from 'node:timers/promises';
import { pieces, scheduler, shouldYield } from 'uv-scheduler';

const items = Array.from({ length: 300 }, (_, id) => id);
let done = 0;

function handle() {
  for (const end = performance.now() + 0.5; performance.now() < end;); // Stands for some work.
  done++;
}

// A pause every N items.
async function everyItems() {
  for (const item of items) {
    handle(item);
    if (item % 100 === 99) await pause();
  }
}

async function inPieces(signal) {
  for await (const item of pieces(items, { signal })) handle(item);
}

// A pause every N ms.
async function everyMs() {
  let last = performance.now();
  for (const item of items) {
    handle(item);
    if (performance.now() - last < 20) continue;
    await pause();
    last = performance.now();
  }
}

async function whenAsked(signal) {
  for (const item of items) {
    handle(item);
    if (shouldYield()) await scheduler.yield({ signal, priority: 'inherit' });
  }
}

// A timer behind each item.
async function everyItem() {
  for (const item of items) {
    handle(item);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

// A queue that starts one job in each turn.
let last = Promise.resolve();
function enqueue(job) {
  last = last.then(job).then(pause);
}

function post(job, { signal, priority } = {}) {
  scheduler.postTask(job, { signal, priority }).catch((error) => {
    if (!signal?.aborted) throw error;
  });
}

const server = createServer((request, response) => response.end('ok'));
await new Promise((resolve) => server.listen(0, resolve));

// The turns of the loop, and the items that are done before the answer of /health.
async function count(work) {
  done = 0;
  const url = `http://localhost:${server.address().port}/health`;
  const health = fetch(url).then(() => done);
  const { loopCount } = performance.nodeTiming.uvMetricsInfo;
  await work();
  return [performance.nodeTiming.uvMetricsInfo.loopCount - loopCount, await health];
}

await count(inPieces); // Loads the client.
const [, healthOfItems] = await count(everyItems);
const [, healthOfMs] = await count(everyMs);
const [turnsOfTimers] = await count(everyItem);
for (const work of [inPieces, whenAsked]) {
  const [turns, health] = await count(work);
  console.log(health < healthOfItems, health < healthOfMs, turns < turnsOfTimers);
}
// prints: true true true
// prints: true true true

// Four jobs, of which the visitor of the third leaves, and then a checkout.
async function orderOf(start) {
  const order = [];
  const visitor = new AbortController();
  for (let job = 1; job <= 4; job++) {
    start(() => order.push(job), job === 3 ? { signal: visitor.signal } : {});
  }
  start(() => order.push('checkout'), { priority: 'user-blocking' });
  visitor.abort();
  while (!order.includes(4) || !order.includes('checkout')) await pause();
  return order.join(' ');
}

console.log(await orderOf(enqueue)); // prints: 1 2 3 4 checkout
console.log(await orderOf(post)); // prints: checkout 1 2 4
server.close();
server.closeAllConnections();

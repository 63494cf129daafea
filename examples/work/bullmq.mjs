// Jobs of a plain Worker of BullMQ: tenants share the thread, and `close()` waits for the jobs. It
// needs a Redis at REDIS_URL.

import { Queue, QueueEvents, Worker } from 'bullmq';
import { pieces, scheduler } from 'uv-scheduler';

const connection = { url: process.env.REDIS_URL ?? 'redis://localhost:6379' };
const name = `work-${process.pid}`;

async function render(pages) {
  let count = 0;
  for await (const page of pieces(Array(pages).keys())) {
    for (const end = performance.now() + 1; performance.now() < end;); // Renders the page.
    count = page + 1;
  }
  return count;
}

const worker = new Worker(name, ({ data: { pages, tenant } }) => {
  return scheduler.postTask(() => render(pages), { fairnessKey: tenant });
}, { connection, concurrency: 10 });

// To try it: a tenant with many pages comes first.
const queue = new Queue(name, { connection });
const events = new QueueEvents(name, { connection });
await events.waitUntilReady();
const order = [];
async function add(tenant, pages) {
  const job = await queue.add('report', { tenant, pages });
  order.push(`${tenant}: ${await job.waitUntilFinished(events)}`);
}
await Promise.all([add('large', 500), add('small', 5)]);
console.log(order.join(', ')); // prints: small: 5, large: 500

await worker.close();
await queue.obliterate();
await Promise.all([events.close(), queue.close()]);

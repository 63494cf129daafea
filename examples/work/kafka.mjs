// The handler of a Kafka consumer. A group member whose handler neither returns nor calls
// `heartbeat()` within the session timeout loses its partitions.

import { pathToFileURL } from 'node:url';
import { Kafka } from 'kafkajs';
import { pieces, scheduler } from 'uv-scheduler';

function handle() {
  for (const end = performance.now() + 1; performance.now() < end;); // Stands for some work.
}

// One task for a batch, with the key of the topic: other topics and requests have their turns.
export async function eachBatch({ batch, heartbeat, isRunning, isStale, resolveOffset }) {
  await scheduler.postTask(async () => {
    for await (const message of pieces(batch.messages)) {
      if (!isRunning() || isStale()) return;
      handle(message);
      resolveOffset(message.offset);
      await heartbeat(); // Sends one at most each `heartbeatInterval`.
    }
  }, { fairnessKey: batch.topic });
}

export async function consume(brokers, topics) {
  const consumer = new Kafka({ brokers }).consumer({ groupId: 'orders' });
  await consumer.connect();
  await consumer.subscribe({ topics });
  await consumer.run({ eachBatch });
  return consumer; // On SIGTERM: `await consumer.disconnect()`, which waits for the batches.
}

// To try it: without a broker, a batch as kafkajs hands it over, beside an urgent task.
if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const messages = Array.from({ length: 50 }, (_, offset) => ({ offset: `${offset}` }));
  let beats = 0;
  let last;
  const done = eachBatch({
    batch: { topic: 'orders', messages },
    heartbeat: async () => void beats++,
    isRunning: () => true,
    isStale: () => false,
    resolveOffset: (offset) => void (last = offset),
  });
  const urgent = scheduler.postTask(() => Number(last ?? -1) < 49, { priority: 'user-blocking' });
  await done;
  console.log(beats, last, await urgent); // prints: 50 49 true
}

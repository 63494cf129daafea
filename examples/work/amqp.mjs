// The handler of an AMQP consumer. RabbitMQ closes a connection whose heartbeats do not come, and
// delivers its messages again. Heartbeats are timers of amqplib.

import { pathToFileURL } from 'node:url';
import { connect } from 'amqplib';
import { drain, pieces, scheduler } from 'uv-scheduler';

async function handle({ content }) {
  for await (const byte of pieces(content)) {
    for (const end = performance.now() + byte / 10; performance.now() < end;); // Stands for work.
  }
}

// A message is a task with the key of its sender. `prefetch()` bounds the tasks.
export async function consume(channel, queue) {
  await channel.prefetch(20);
  return channel.consume(queue, (message) => {
    if (message === null) return; // The broker has cancelled the consumer.
    const fairnessKey = message.properties.appId ?? '';
    scheduler.postTask(() => handle(message), { fairnessKey })
      .then(() => channel.ack(message), () => channel.nack(message, false, false));
  });
}

// The returned function takes no more messages, and acknowledges those that it has.
export async function start(url, queue) {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  const { consumerTag } = await consume(channel, queue);
  return async () => {
    await channel.cancel(consumerTag);
    await drain();
    await channel.close(); // Else the end of the connection overtakes acknowledgements.
    await connection.close();
  };
}

if (process.env.AMQP_URL) process.once('SIGTERM', await start(process.env.AMQP_URL, 'orders'));

// To try it: without a broker, a channel with the methods above, a long message and a short one.
else if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const acknowledged = [];
  const channel = {
    prefetch: async () => {},
    nack: ({ properties }) => acknowledged.push(`not ${properties.appId}`),
    ack: ({ properties }) => acknowledged.push(properties.appId),
    async consume(queue, onMessage) {
      onMessage({ properties: { appId: 'long' }, content: Buffer.alloc(500, 5) });
      onMessage({ properties: { appId: 'short' }, content: Buffer.alloc(1, 5) });
    },
  };
  await consume(channel, 'orders');
  await scheduler.postTask(() => {}, { priority: 'background' }); // When all messages are handled.
  console.log(acknowledged.join(', ')); // prints: short, long
}

'use strict';

// As much of an AMQP broker as a consumer of examples/work/ meets: a connection with heartbeats, a
// channel, a consumer, messages and their acknowledgements. It has amqplib's codec, but runs in
// another process than the consumer. Unlike RabbitMQ, it only counts heartbeats.

const { once } = require('node:events');
const net = require('node:net');
const path = require('node:path');

const HOST = '127.0.0.1';
const LIBRARY = path.join(__dirname, '../../../examples/work/node_modules/amqplib/lib');

// The answers to methods.
const ANSWERS = {
  ConnectionStartOk: ['ConnectionTune', { frameMax: 1 << 20, heartbeat: 1 }],
  ConnectionOpen: ['ConnectionOpenOk'],
  ChannelOpen: ['ChannelOpenOk'],
  BasicQos: ['BasicQosOk'],
  BasicConsume: ['BasicConsumeOk', { consumerTag: 'a tag' }],
};

// Delivers messages: { appId, content }. Resolves to { url, end, stop }: `end` resolves when the
// last one was acknowledged, to their tags in the order of their acknowledgements, and how many
// heartbeats came until then.
async function startBroker(messages) {
  const defs = require(path.join(LIBRARY, 'defs.js'));
  const frame = require(path.join(LIBRARY, 'frame.js'));
  const acknowledged = [];
  let heartbeats = 0;
  let resolve;
  const end = new Promise((fulfil) => (resolve = fulfil));

  const server = net.createServer((socket) => {
    const timer = setInterval(() => socket.write(frame.HEARTBEAT_BUF), 500);
    const send = (method, channel, fields = {}) =>
      socket.write(defs.encodeMethod(defs[method], channel, fields));

    function deliver(channel, { appId, content }, index) {
      send('BasicDeliver', channel,
        { consumerTag: 'a tag', deliveryTag: index + 1, exchange: '', routingKey: '' });
      const { BasicProperties } = defs;
      socket.write(defs.encodeProperties(BasicProperties, channel, content.length, { appId }));
      socket.write(frame.makeBodyFrame(channel, content));
    }

    function answer({ id, channel, fields }) {
      if (id === undefined) heartbeats++;
      const method = Object.keys(ANSWERS).find((name) => defs[name] === id);
      if (method !== undefined) send(ANSWERS[method][0], channel, ANSWERS[method][1]);
      if (id === defs.BasicConsume) messages.forEach((each, i) => deliver(channel, each, i));
      if (id !== defs.BasicAck) return;
      acknowledged.push(messages[fields.deliveryTag - 1].appId);
      if (acknowledged.length === messages.length) resolve({ acknowledged, heartbeats });
    }

    let rest = Buffer.alloc(0);
    let hasHeader = false;
    socket.on('error', () => {}); // The consumer is ended.
    socket.on('close', () => clearInterval(timer));
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      if (!hasHeader) {
        hasHeader = true;
        rest = rest.subarray(frame.PROTOCOL_HEADER.length);
        send('ConnectionStart', 0, { serverProperties: {}, versionMinor: 9 });
      }
      for (let found = frame.parseFrame(rest, 0); found; found = frame.parseFrame(rest, 0)) {
        rest = found.rest;
        answer(frame.decodeFrame(found));
      }
    });
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const url = `amqp://${HOST}:${server.address().port}?heartbeat=1`;
  return { url, end, stop: () => server.close() };
}

module.exports = { startBroker };

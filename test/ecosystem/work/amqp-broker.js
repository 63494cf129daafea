'use strict';

// As much of an AMQP broker as a consumer of examples/work/ meets: a connection with heartbeats, a
// channel, a consumer, two messages and their acknowledgements. It has amqplib's codec, but runs in
// another process than the consumer. Unlike RabbitMQ, it only counts heartbeats.

const { once } = require('node:events');
const net = require('node:net');
const path = require('node:path');

const HOST = '127.0.0.1';
const LIBRARY = path.join(__dirname, '../../../examples/work/node_modules/amqplib/lib');

class AmqpBroker {
  // The tags of the messages, in the order of their acknowledgements.
  acknowledged = [];
  // How many heartbeats came until the last message was acknowledged.
  heartbeats = 0;
  #messages;
  #server = net.createServer((socket) => this.#serve(socket));
  #defs = require(path.join(LIBRARY, 'defs.js'));
  #frame = require(path.join(LIBRARY, 'frame.js'));
  #setEnd;
  // Resolves when the last message was acknowledged.
  end = new Promise((resolve) => (this.#setEnd = resolve));

  // Each message is { appId, content }.
  constructor(messages) {
    this.#messages = messages;
  }

  async start() {
    this.#server.listen(0, HOST);
    await once(this.#server, 'listening');
    return `amqp://${HOST}:${this.#server.address().port}?heartbeat=1`;
  }

  stop() {
    this.#server.close();
  }

  #serve(socket) {
    let rest = Buffer.alloc(0);
    let hasHeader = false;
    const timer = setInterval(() => socket.write(this.#frame.HEARTBEAT_BUF), 500);
    socket.on('error', () => {}); // The consumer is ended.
    socket.on('close', () => clearInterval(timer));
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      if (!hasHeader) {
        hasHeader = true;
        rest = rest.subarray(this.#frame.PROTOCOL_HEADER.length);
        this.#send(socket, 'ConnectionStart', 0, { serverProperties: {}, versionMinor: 9 });
      }
      for (;;) {
        const found = this.#frame.parseFrame(rest, 0);
        if (!found) return;
        rest = found.rest;
        this.#answer(socket, this.#frame.decodeFrame(found));
      }
    });
  }

  #send(socket, method, channel, fields = {}) {
    socket.write(this.#defs.encodeMethod(this.#defs[method], channel, fields));
  }

  #answer(socket, { id, channel, fields }) {
    switch (id) {
      case undefined:
        if (this.acknowledged.length < this.#messages.length) this.heartbeats++;
        break;
      case this.#defs.ConnectionStartOk:
        this.#send(socket, 'ConnectionTune', 0, { frameMax: 1 << 20, heartbeat: 1 });
        break;
      case this.#defs.ConnectionOpen:
        this.#send(socket, 'ConnectionOpenOk', 0);
        break;
      case this.#defs.ChannelOpen:
        this.#send(socket, 'ChannelOpenOk', channel);
        break;
      case this.#defs.BasicQos:
        this.#send(socket, 'BasicQosOk', channel);
        break;
      case this.#defs.BasicConsume:
        this.#send(socket, 'BasicConsumeOk', channel, { consumerTag: 'a tag' });
        this.#messages.forEach((message, index) => this.#deliver(socket, channel, message, index));
        break;
      case this.#defs.BasicAck:
        this.acknowledged.push(this.#messages[fields.deliveryTag - 1].appId);
        if (this.acknowledged.length === this.#messages.length) this.#setEnd();
    }
  }

  #deliver(socket, channel, { appId, content }, index) {
    const fields = { consumerTag: 'a tag', deliveryTag: index + 1, exchange: '', routingKey: '' };
    this.#send(socket, 'BasicDeliver', channel, fields);
    const { BasicProperties } = this.#defs;
    socket.write(this.#defs.encodeProperties(BasicProperties, channel, content.length, { appId }));
    socket.write(this.#frame.makeBodyFrame(channel, content));
  }
}

module.exports = { AmqpBroker };

'use strict';

// I/O that random programs start, of each way in which libuv learns of it: messages of a channel,
// a socket on the loopback interface, and work of the thread pool. Owns the port and the
// connection, which keep the loop alive only while something is under way.

const { AsyncResource } = require('node:async_hooks');
const fs = require('node:fs');
const net = require('node:net');

const HOST = '127.0.0.1';

const KINDS = ['message', 'socket', 'stat'];

// Messages that come in the order they were sent.
class Channel {
  #callbacks = [];
  #port;
  #receiver;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#receiver = port2.on('message', () => this.#receive());
    port1.unref();
    port2.unref();
  }

  send(callback) {
    if (this.#callbacks.push(callback) === 1) this.#receiver.ref();
    this.#port.postMessage(0);
  }

  #receive() {
    const callback = this.#callbacks.shift();
    if (this.#callbacks.length === 0) this.#receiver.unref();
    callback();
  }
}

// A connection to a server that echoes. One byte is under way at a time, so that each callback is
// one of the loop.
class Echo {
  #callbacks = [];
  #socket;

  constructor() {
    const server = net.createServer((socket) => socket.unref().pipe(socket));
    server.listen(0, HOST, () => this.#connect(server.address().port)).unref();
  }

  #connect(port) {
    this.#socket = net.connect(port, HOST, () => this.#sendNext());
    this.#socket.setNoDelay(true);
    this.#socket.on('data', () => {
      const callback = this.#callbacks.shift();
      this.#sendNext();
      callback();
    });
  }

  send(callback) {
    if (this.#callbacks.push(callback) === 1 && this.#socket?.pending === false) this.#sendNext();
  }

  #sendNext() {
    if (this.#callbacks.length === 0) {
      this.#socket.unref();
    } else {
      this.#socket.ref();
      this.#socket.write('.');
    }
  }
}

const WAYS = { message: Channel, socket: Echo };

class Io {
  // By kind.
  #ways = {};
  // Ports and servers belong to no task, whichever needs them first.
  #origin = new AsyncResource('Io');

  start(kind, callback) {
    if (kind === 'stat') return fs.stat(__filename, callback);
    this.#ways[kind] ??= this.#origin.runInAsyncScope(() => new WAYS[kind]());
    return this.#ways[kind].send(callback);
  }
}

module.exports = { Io, KINDS };

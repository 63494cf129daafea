'use strict';

// I/O that random programs start, of each way in which libuv learns of it: a socket on the loopback
// interface, and work of the thread pool. Owns the connection, which keeps the loop alive only
// while something is under way.

const { AsyncResource } = require('node:async_hooks');
const fs = require('node:fs');
const net = require('node:net');

const HOST = '127.0.0.1';

const KINDS = ['socket', 'stat'];

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

class Io {
  #echo;
  // Servers belong to no task, whichever needs them first.
  #origin = new AsyncResource('Io');

  start(kind, callback) {
    if (kind === 'stat') return fs.stat(__filename, callback);
    this.#echo ??= this.#origin.runInAsyncScope(() => new Echo());
    return this.#echo.send(callback);
  }
}

module.exports = { Io, KINDS };

'use strict';

// I/O that random programs start: messages of a channel, messages to another thread and back,
// sockets and HTTP on the loopback interface, and work of the thread pool. Owns the ports, servers
// and connections, which keep the loop alive only while something is under way.

const { AsyncResource } = require('node:async_hooks');
const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const { Worker } = require('node:worker_threads');

const HOST = '127.0.0.1';

const ECHO = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (message) => parentPort.postMessage(message));
`;

// Messages that come back in the order they were sent.
class Port {
  #callbacks = [];
  #receiver;
  #post;

  constructor(receiver, post) {
    this.#receiver = receiver;
    this.#post = post;
    receiver.on('message', () => this.#receive());
    receiver.unref();
  }

  send(callback) {
    if (this.#callbacks.push(callback) === 1) this.#receiver.ref();
    this.#post();
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

// A server and its client. A callback is called when the server has the request, or when the client
// has the response.
class Web {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 3 });
  #callbacks = new Map();
  #ids = 0;
  #port;
  #waiting = [];

  constructor() {
    const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
      const id = Number(request.url.slice(1));
      const callback = this.#callbacks.get(id);
      this.#callbacks.delete(id);
      response.end('ok');
      callback?.();
    });
    server.on('connection', (socket) => socket.unref());
    server.listen(0, HOST, () => {
      this.#port = server.address().port;
      for (const send of this.#waiting) send();
    }).unref();
  }

  send(kind, callback) {
    const id = this.#ids++;
    if (kind === 'request') this.#callbacks.set(id, callback);
    const send = () => {
      const options = { agent: this.#agent, host: HOST, path: `/${id}`, port: this.#port };
      http.get(options, (response) => {
        response.resume();
        if (kind === 'response') callback();
      });
    };
    if (this.#port === undefined) this.#waiting.push(send);
    else send();
  }
}

class Io {
  #ports = new Map();
  // Ports and servers belong to no task, whichever needs them first.
  #origin = new AsyncResource('Io');

  // Whether it is ready as soon as it was started.
  static isReadyAtOnce(kind) {
    return kind === 'message';
  }

  // Whether an exception of its callback is an uncaught one, after which the source still works.
  static mayThrow(kind) {
    return ['stat', 'readFile', 'randomBytes', 'pbkdf2'].includes(kind);
  }

  start(kind, callback) {
    switch (kind) {
      case 'stat':
        return fs.stat(__filename, callback);
      case 'readFile':
        // Several operations: only the last one's callback is the program's.
        return fs.readFile(__filename, callback);
      case 'randomBytes':
        return crypto.randomBytes(16, callback);
      case 'pbkdf2':
        return crypto.pbkdf2('password', 'salt', 1, 16, 'sha256', callback);
      case 'request':
      case 'response':
        return this.#port('web').send(kind, callback);
      default:
        return this.#port(kind).send(callback);
    }
  }

  #port(kind) {
    let port = this.#ports.get(kind);
    if (port === undefined) {
      port = this.#origin.runInAsyncScope(makePort, undefined, kind);
      this.#ports.set(kind, port);
    }
    return port;
  }
}

function makePort(kind) {
  if (kind === 'web') return new Web();
  if (kind === 'socket') return new Echo();
  if (kind === 'thread') {
    const worker = new Worker(ECHO, { eval: true });
    return new Port(worker, () => worker.postMessage(0));
  }
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  return new Port(port2, () => port1.postMessage(0));
}

module.exports = { Io };

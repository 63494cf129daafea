'use strict';

// I/O that is ready when the program says so: messages of a channel inside the thread, and their
// echo from another one. Owns the ports, which keep the loop alive only while messages are under
// way; knows nothing of what the messages are for.

const { AsyncResource } = require('node:async_hooks');
const { Worker } = require('node:worker_threads');

const ECHO = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (message) => parentPort.postMessage(message));
`;

class Port {
  #callbacks = new Map();
  #last = 0;
  #receiver;
  #post;

  constructor(receiver, post) {
    this.#receiver = receiver;
    this.#post = post;
    receiver.on('message', (id) => this.#receive(id));
    receiver.unref();
  }

  send(callback) {
    const id = this.#last++;
    if (this.#callbacks.size === 0) this.#receiver.ref();
    this.#callbacks.set(id, callback);
    this.#post(id);
  }

  #receive(id) {
    const callback = this.#callbacks.get(id);
    this.#callbacks.delete(id);
    if (this.#callbacks.size === 0) this.#receiver.unref();
    callback();
  }
}

class Io {
  #message;
  #thread;
  // The other thread belongs to no task, whichever needs it first.
  #origin = new AsyncResource('Io');

  constructor() {
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    this.#message = new Port(port2, (id) => port1.postMessage(id));
  }

  // `kind`: 'message', or 'thread' for one that goes to another thread and back.
  send(kind, callback) {
    (kind === 'thread' ? this.#echo() : this.#message).send(callback);
  }

  #echo() {
    if (this.#thread === undefined) {
      const worker = this.#origin.runInAsyncScope(() => new Worker(ECHO, { eval: true }));
      this.#thread = new Port(worker, (id) => worker.postMessage(id));
    }
    return this.#thread;
  }
}

module.exports = { Io };

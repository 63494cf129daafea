'use strict';

// Owns what all hostile clients are made of: random numbers that a seed gives again, and a
// connection on which a client sends any bytes, and which it leaves in every way there is.

const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const numbers = require('../../integrations/testing/random.js');

// For how many milliseconds a client waits for further bytes once some have come.
const QUIET = 100;

const STATUS = /^HTTP\/1\.[01] (\d{3}) /;

const LEAVINGS = ['closes', 'half-closes', 'resets'];

// The most bytes of an answer that a client reads.
const MAX_READ = 100_000;

class Random extends numbers.Random {
  // An integer from 0 to count - 1.
  below(count) {
    return Math.floor(this.next() * count);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  // A string of Latin-1.
  bytes(count) {
    return Array.from({ length: count }, () => String.fromCharCode(this.below(256))).join('');
  }
}

// Waits for a promise, at most for some milliseconds.
const within = (time, promise) => Promise.race([promise, sleep(time)]);

// A connection. Whatever waits for it ends when the connection does.
class Wire {
  #received = 0;
  #hasEnded = false;
  #onChange = () => {};
  #connected;
  #closed;
  #patience;
  // The status of the first answer of HTTP/1, if there is one.
  status;

  // `patience` is for how many milliseconds the client waits for the first byte.
  constructor({ address, port }, patience) {
    this.#patience = patience;
    // The server may end its side first.
    this.socket = net.connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    this.#closed = new Promise((resolve) => this.socket.on('close', resolve));
    this.#connected = new Promise((resolve) => this.socket.on('connect', resolve));
    this.socket.on('error', (error) => (this.error = error));
    this.socket.on('data', (bytes) => {
      this.#received += bytes.length;
      this.status ??= STATUS.exec(bytes.toString('latin1'))?.[1];
      this.#onChange();
    });
    const end = () => {
      this.#hasEnded = true;
      this.#onChange();
    };
    this.socket.on('end', end).on('close', end);
  }

  // Resolves when the bytes are sent, or cannot be.
  write(bytes) {
    const data = Buffer.from(bytes, 'latin1');
    return new Promise((resolve) => this.socket.write(data, resolve));
  }

  // Waits for so many further bytes, as long as any come.
  async receive(count) {
    const end = this.#received + count;
    while (this.#received < end && !this.#hasEnded) {
      const before = this.#received;
      const patience = before === 0 ? this.#patience : QUIET;
      await within(patience, new Promise((resolve) => (this.#onChange = resolve)));
      if (this.#received === before) return;
    }
  }

  // Takes no bytes for a while, so that the buffers on the way to it fill up.
  async stall() {
    this.socket.pause();
    await within(QUIET, this.#closed);
    this.socket.resume();
  }

  async leave(how) {
    await Promise.race([this.#connected, this.#closed]);
    if (how === 'half-closes') {
      this.socket.end();
      await this.receive(Infinity);
    }
    if (how === 'resets' && !this.socket.destroyed) this.socket.resetAndDestroy();
    await this.destroy();
  }

  async destroy() {
    this.socket.destroy();
    await this.#closed;
  }
}

module.exports = { LEAVINGS, MAX_READ, Random, Wire };

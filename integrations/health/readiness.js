'use strict';

// Whether this thread takes requests, for serveHealth(): from the first server that listens until
// shutDown() begins, and again when a server listens behind it.

const { subscribe } = require('node:diagnostics_channel');
const { sharePart, undocumented } = require('../internal.js');

const STARTING = 0;
const LISTENING = 1;
const ENDING = 2;

class Readiness {
  state = STARTING;
  #followers = new Set();

  change(state) {
    this.state = state;
    for (const follow of this.#followers) follow();
  }

  // Calls `onChange()` when the state changes. Returns a function that ends this.
  follow(onChange) {
    if (this.#followers.size === 0) this.#find();
    this.#followers.add(onChange);
    return () => this.#followers.delete(onChange);
  }

  // A server may listen before anything follows. That of a worker of a cluster has no handle.
  #find() {
    if (this.state === STARTING && undocumented.hasOpenServer()) this.change(LISTENING);
  }
}

const readiness = sharePart('readiness', () => new Readiness());

// Node's channels name a server that listens from Node 24 on only. The servers of Bun and Deno are
// not all servers of node:net.
const watchServers = () => sharePart('servers', () => {
  const watched = new WeakSet();
  const onListening = () => readiness.change(LISTENING);
  for (const { Server: { prototype } } of [require('node:net'), require('node:http')]) {
    if (Object.hasOwn(prototype, 'listen')) watch(prototype, watched, onListening);
  }
  subscribe('net.server.socket', () => {
    if (readiness.state === STARTING) onListening();
  });
  return true;
});

function watch(prototype, watched, onListening) {
  const { listen } = prototype;
  Object.assign(prototype, {
    listen(...args) {
      if (!watched.has(this)) {
        watched.add(this);
        this.on('listening', onListening);
      }
      return Reflect.apply(listen, this, args);
    },
  });
}

module.exports = { ENDING, LISTENING, STARTING, readiness, watchServers };

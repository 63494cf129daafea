'use strict';

// Owns the clients that come before an attack and stay until they are told to leave: readers that
// ask for a page again and again and never read, and connections that send nothing.

const { once } = require('node:events');
const http2 = require('node:http2');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');

const READERS = 4;
const SILENT = 64;
// More pages than the system takes on the way to a reader, and the milliseconds between two: a site
// that gets all at once would refuse most of them.
const ASKED = 60;
const INTERVAL = 20;

const ignore = () => {};

// How each protocol begins to read nothing on a socket. Each returns a function that asks once.
const READERS_OF = {
  http1(socket, { host, path }) {
    socket.pause();
    return () => socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  },
  // A stream without a reader keeps its window closed.
  http2(socket, { host, path }) {
    const session = http2.connect(`http://${host}`, { createConnection: () => socket });
    session.on('error', ignore);
    return () => session.request({ ':path': path }).on('error', ignore);
  },
};

class StayingClients {
  #sockets = [];

  // Resolves when all are connected and the readers have asked.
  static async come({ port, protocol, path }) {
    const clients = new StayingClients();
    const target = { host: `127.0.0.1:${port}`, path };
    const all = Array.from({ length: READERS + SILENT }, () => clients.#connect(port));
    const sockets = await Promise.all(all);
    const asks = sockets.slice(SILENT).map((socket) => READERS_OF[protocol](socket, target));
    for (let i = 0; i < ASKED; i++) {
      for (const ask of asks) ask();
      await sleep(INTERVAL);
    }
    return clients;
  }

  async #connect(port) {
    const socket = net.connect(port, '127.0.0.1');
    this.#sockets.push(socket);
    await once(socket, 'connect');
    // The server may end it at any time.
    return socket.on('error', ignore);
  }

  async leave() {
    await Promise.all(this.#sockets.map((socket) => {
      if (socket.closed) return undefined;
      socket.destroy();
      return once(socket, 'close');
    }));
  }
}

module.exports = { StayingClients };

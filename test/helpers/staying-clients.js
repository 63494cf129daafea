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

// Resolves when all are connected and the readers have asked, to `leave()`.
async function come({ port, protocol, path }) {
  const target = { host: `127.0.0.1:${port}`, path };
  const sockets = Array.from({ length: READERS + SILENT }, () => net.connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // The server may end them at any time.
  for (const socket of sockets) socket.on('error', ignore);
  const asks = sockets.slice(SILENT).map((socket) => READERS_OF[protocol](socket, target));
  for (let i = 0; i < ASKED; i++) {
    for (const ask of asks) ask();
    await sleep(INTERVAL);
  }
  return {
    leave: () => Promise.all(sockets.map((socket) => {
      socket.destroy();
      return socket.closed || once(socket, 'close');
    })),
  };
}

module.exports = { StayingClients: { come } };

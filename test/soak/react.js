'use strict';

// Pages of <Scheduled> whose renders end early, in each way in which they can, and those of clients
// that leave at the first byte. None may be kept.

process.env.NODE_ENV = 'production';

const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const { setImmediate: turn } = require('node:timers/promises');
const { renderToPipeableStream } = require('react-dom/server');
const { soak } = require('../helpers/memory.js');
const { page } = require('../helpers/react.js');
const { endsOf } = require('../fixtures/react/ends.js');

const COUNT = 20_000;
const SECTIONS = 10;
const LANES = 50;

// Some ways take no turn of the loop.
const PER_TURN = 10;

const newPage = () => page(SECTIONS, String);

function ended(end) {
  return async (count) => {
    for (let index = 0; index < count; index++) {
      await end(newPage());
      if (index % PER_TURN === 0) await turn();
    }
    return count;
  };
}

// Requests whose clients leave at the first byte.
async function left(count) {
  let aborted = 0;
  const server = http.createServer((request, response) => {
    const stream = renderToPipeableStream(newPage(), {
      onShellReady: () => stream.pipe(response),
      onError() {},
    });
    response.on('close', () => {
      stream.abort();
      aborted++;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  let next = 0;
  const lane = async () => {
    while (next++ < count) {
      const socket = net.connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      socket.once('data', () => socket.destroy());
      // once() would reject if the server resets the connection.
      socket.on('error', () => {});
      await new Promise((resolve) => socket.on('close', resolve));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  while (aborted < count) await turn();
  server.close();
  await once(server, 'close');
  return aborted;
}

const ways = endsOf('HTML').map(({ name, end }) => [name, { count: COUNT, run: ended(end) }]);

soak({ ...Object.fromEntries(ways), 'clients that leave': { count: COUNT, run: left } });

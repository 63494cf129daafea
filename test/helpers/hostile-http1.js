'use strict';

// Owns the hostile clients of HTTP/1: what each sends and reads, and at which byte it leaves.

const { setTimeout: delay } = require('node:timers/promises');
const { BODY, request, requests } = require('./hostile-requests.js');
const { LEAVINGS, MAX_READ } = require('./hostile-wire.js');

const STATUS = /^HTTP\/1\.[01] (\d{3}) /;
const MAX_DELAY = 100;

// The text of an ordinary request: with a body only where the method allows one, in chunks or of a
// known length.
function ordinary({ method, path }, host, random, headers = []) {
  const line = `${method} ${path} HTTP/1.1`;
  const own = [`Host: ${host}`, 'Content-Type: application/json', ...headers];
  if (method === 'GET' || method === 'HEAD') return request(line, own);
  if (random.below(2) === 0) return request(line, [...own, `Content-Length: ${BODY.length}`], BODY);
  const half = BODY.length >> 1;
  const chunks = [BODY.slice(0, half), BODY.slice(half), '']
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return request(line, [...own, 'Transfer-Encoding: chunked'], chunks.join(''));
}

// Where a client leaves, beside the places of both protocols: each is called with a wire, and the
// bytes of an ordinary request.
const PLACES = {
  'in the middle of the head': (wire, bytes, random) => {
    return wire.write(bytes.slice(0, 1 + random.below(bytes.indexOf('\r\n\r\n') + 3)));
  },
  'in the middle of the body': async (wire, bytes, random) => {
    const begin = bytes.indexOf('\r\n\r\n') + 4;
    await wire.write(bytes.slice(0, begin + random.below(Math.max(1, bytes.length - begin))));
    await wire.receive(1);
  },
  'at the first byte of the answer': async (wire, bytes) => {
    await wire.write(bytes);
    await wire.receive(1);
  },
};

// Other habits of a client.
const MANNERS = {
  async 'sends byte by byte'({ open, random, target, page }) {
    const wire = open();
    await wire.writeByteByByte(ordinary(page, target.host, random));
    await wire.receive(MAX_READ);
    await wire.leave('closes');
  },
  async 'sends requests one after the other without waiting'({ open, random, target, page }) {
    const wire = open();
    const bytes = Array.from({ length: 10 }, () => ordinary(page, target.host, random));
    await wire.write(bytes.join(''));
    await wire.receive(1 + random.below(2 * MAX_READ));
    await wire.leave(random.pick(LEAVINGS));
  },
  async 'sends requests one after the other, and leaves soon'({ open, random, target, page }) {
    for (let times = 0; times < 5; times++) {
      const wire = open();
      const bytes = Array.from({ length: 5 }, () => ordinary(page, target.host, random));
      await wire.write(bytes.join(''));
      await delay(random.below(MAX_DELAY));
      await wire.leave(random.pick(LEAVINGS));
    }
  },
  async 'sends requests one after the other, and broken ones among them'(client) {
    const { open, random, target } = client;
    const wire = open();
    const bytes = Array.from({ length: 10 }, () => {
      return ordinary(random.pick(target.pages), target.host, random);
    });
    await wire.write([...bytes, 'GET // HTTP/1.1\r\n: \r\n\r\n'].join(''));
    await wire.receive(1 + random.below(MAX_READ));
    await wire.leave(random.pick(LEAVINGS));
  },
  async 'keeps a connection alive, and stalls in the middle of a request'(client) {
    const { open, random, target, page } = client;
    const wire = open();
    const bytes = ordinary(page, target.host, random);
    await wire.write(bytes);
    await wire.receive(Infinity);
    await wire.write(bytes.slice(0, random.below(bytes.length)));
    await wire.stall();
    await wire.leave('resets');
  },
  async 'asks again and again, and never reads'({ open, random, target, page }) {
    const wire = open();
    wire.socket.pause();
    for (let i = 0; i < 20; i++) await wire.write(ordinary(page, target.host, random));
    await wire.stall();
    await wire.leave(random.pick(LEAVINGS));
  },
  async 'half-closes at once, and reads on'({ open, random, target, page }) {
    const wire = open();
    await wire.write(ordinary(page, target.host, random));
    wire.socket.end();
    await wire.receive(Infinity);
    await wire.leave('closes');
  },
  async 'expects 100-continue, and sends no body'({ open, random, target, page }) {
    const bytes = ordinary(page, target.host, random, ['Expect: 100-continue']);
    const wire = open();
    await wire.write(bytes.slice(0, bytes.indexOf('\r\n\r\n') + 4));
    await wire.receive(1);
    await wire.leave(random.pick(LEAVINGS));
  },
  async 'opens many connections, and resets all'({ open, random, target, page }) {
    const wires = Array.from({ length: 20 }, open);
    for (const wire of wires) await wire.write(ordinary(page, target.host, random));
    for (const wire of wires) await wire.leave('resets');
  },
};

// The status of the first answer among the bytes that a server has sent, if there is one.
const statusOf = (bytes) => STATUS.exec(bytes)?.[1];

module.exports = { BEGIN: '', MANNERS, PLACES, ordinary, requests, statusOf };

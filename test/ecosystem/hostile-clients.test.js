'use strict';

// The hostile clients that the tests of whole sites use: Node's own servers survive them, the same
// seed gives the same ones, and none stays.

const assert = require('node:assert/strict');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const http = require('node:http');
const http2 = require('node:http2');
const { closeAll, listen } = require('../helpers/admission.js');
const { attack, clientsOf } = require('../helpers/hostile-clients.js');
const { Random } = require('../helpers/hostile-wire.js');
const { LIMIT } = require('../helpers/programs.js');

const PAGES = ['/', 'POST /orders'];
// More than what a connection takes at once.
const PAGE = 'page\n'.repeat(50_000);

function answer(request, response) {
  request.resume();
  response.on('error', () => {}).end(PAGE);
}

const SERVERS = {
  http1: () => http.createServer(answer),
  http2: () => http2.createServer(answer),
};

// The bytes that each client sends when no server answers, by its name.
async function sentBy(protocol, seed) {
  const pages = [{ method: 'GET', path: '/' }, { method: 'POST', path: '/orders' }];
  const sent = [];
  for (const [name, run] of clientsOf(protocol, { host: 'a', pages }, new Random(seed))) {
    const note = (what) => void sent.push([name, String(what)]);
    const wire = { write: note, writeByteByByte: note, receive: note, stall() {}, leave: note };
    const socket = { pause() {}, end() {} };
    const target = { host: 'a', pages };
    await run({ open: () => ({ ...wire, socket }), random: new Random(`${seed} ${name}`), target });
  }
  return sent;
}

for (const [protocol, createServer] of Object.entries(SERVERS)) {
  describe(`the hostile clients of ${protocol}`, () => {
    const sockets = [];
    const remember = ({ socket }) => void sockets.push(socket);

    before(() => subscribe('net.client.socket', remember));
    after(() => unsubscribe('net.client.socket', remember));
    afterEach(closeAll);

    it('end no server of Node, and leave', async () => {
      const port = await listen(createServer());
      const counts = await attack(`http://127.0.0.1:${port}`, { protocol, pages: PAGES });
      assert.equal(counts.refused, 0);
      assert.ok(counts.clients > 250 && counts.connections >= counts.clients);
      assert.ok(counts.statuses[200] > 100, JSON.stringify(counts));
      const times = Object.values(counts.statuses);
      assert.equal(times.reduce((sum, count) => sum + count, 0), counts.connections);
      assert.equal(sockets.length, counts.connections);
      assert.ok(sockets.every((socket) => socket.closed));
    }).timeout(LIMIT);

    it('are the same for the same seed', async () => {
      const sent = await sentBy(protocol, '1');
      assert.deepEqual(await sentBy(protocol, '1'), sent);
      assert.notDeepEqual(await sentBy(protocol, '2'), sent);
    });

    it('can be chosen by their names', async () => {
      const port = await listen(createServer());
      const only = /^resets before the answer: /;
      const url = `http://127.0.0.1:${port}`;
      const counts = await attack(url, { protocol, pages: PAGES, rounds: 3, only });
      assert.equal(counts.clients, 3 * PAGES.length);
    });
  });
}

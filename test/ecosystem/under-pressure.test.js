'use strict';

// @fastify/under-pressure with a monitor: background work that fills the event loop is no overload,
// requests that fill it are. fixtures/under-pressure.js is the server.
// @lane measuring

const assert = require('node:assert/strict');
const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { FIXTURES, LIMIT, endNodes, hasRun } = require('../helpers/loop.js');

const SERVER = path.join(FIXTURES, 'under-pressure.js');
// So many checks must find the server healthy.
const CHECKS = 4;
const PAUSE = 100;
const CLIENTS = 8;

for (const node of endNodes) {
  if (hasRun) continue;
  describe(`on Node ${node.version}, @fastify/under-pressure with a check by a monitor`, () => {
    let child;
    let url;

    beforeEach(async () => {
      child = fork(SERVER, { execPath: node.path });
      [url] = await once(child, 'message');
    });

    afterEach(() => child?.kill('SIGKILL'));

    async function get(place) {
      const response = await fetch(`${url}${place}`);
      return { status: response.status, body: await response.text() };
    }

    // Asks until the answer has a status. Resolves to its body.
    async function until(status, place) {
      for (;; await delay(1)) {
        const answer = await get(place);
        if (answer.status === status) return answer.body;
      }
    }

    // Asserts that the next checks refuse nothing.
    async function assertHealthy() {
      const first = Number(await until(200, '/'));
      for (let last = first; last < first + CHECKS; await delay(PAUSE)) {
        const { status, body } = await get('/');
        assert.equal(status, 200);
        last = Number(body);
      }
    }

    it('answers while background tasks fill the loop', assertHealthy).timeout(LIMIT);

    it('refuses requests while requests fill the loop, and not longer', async () => {
      await until(200, '/');
      await Promise.all(Array.from({ length: CLIENTS }, () => until(503, '/work')));
      await assertHealthy();
    }).timeout(LIMIT);
  });
}

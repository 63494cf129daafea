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
// Several intervals of the server's checks pass between the first request and the last.
const REQUESTS = 20;
const PAUSE = 100;
const CLIENTS = 8;

for (const node of endNodes) {
  if (hasRun) continue;
  describe(`on Node ${node.version}, @fastify/under-pressure`, () => {
    let child;
    let url;

    async function start(mode) {
      child = fork(SERVER, [mode], { execPath: node.path });
      [url] = await once(child, 'message');
    }

    afterEach(() => child?.kill('SIGKILL'));

    async function get(place) {
      const response = await fetch(`${url}${place}`);
      return { status: response.status, body: await response.text() };
    }

    async function statuses() {
      const found = [];
      for (let i = 0; i < REQUESTS; i++) {
        found.push((await get('/')).status);
        await delay(PAUSE);
      }
      return found;
    }

    // Asks until the answer has a status.
    async function until(status, place) {
      while ((await get(place)).status !== status) await delay(1);
    }

    it('refuses requests by its limit when background tasks fill the loop', async () => {
      await start('limit');
      await until(503, '/');
      assert.deepEqual(await statuses(), Array(REQUESTS).fill(503));
    }).timeout(LIMIT);

    it('answers them by a check of what a monitor measures', async () => {
      await start('check');
      await get('/utilization');
      assert.deepEqual(await statuses(), Array(REQUESTS).fill(200));
      const { loop, background } = JSON.parse((await get('/utilization')).body);
      assert.ok(loop > 0.9, `${loop}`);
      assert.ok(background > 0.5, `${background}`);
    }).timeout(LIMIT);

    it('refuses them by that check while requests fill the loop, and not longer', async () => {
      await start('check');
      await until(200, '/');
      await Promise.all(Array.from({ length: CLIENTS }, () => until(503, '/work')));
      await until(200, '/');
      assert.deepEqual(await statuses(), Array(REQUESTS).fill(200));
    }).timeout(LIMIT);
  });
}

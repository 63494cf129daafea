'use strict';

// The example on Hono under load, with clients that leave, on the runtime that runs the tests.
// @host runtimes

const assert = require('node:assert/strict');
const { nodes } = require('../../helpers/loop.js');
const { SLOW, useServer } = require('../../helpers/example-tests.js');

const LEAVING = 10;
const STAYING = 5;
// Not all of the months.
const LEFT = /the client left; (?!600)\d+ of 600 months/g;
const END = /\n2024-12,shelf,\d+\n$/;

describe('the example on Hono on the portable host', () => {
  const [{ path: node, args = [] }] = nodes;
  const current = useServer('hono', () => ({ node, args: [...args, 'server.js'] }));

  it('serves who stays, stops the work for clients that leave, and ends on SIGTERM', async () => {
    const { server } = current;
    const staying = Array.from({ length: STAYING }, () => server.visit('/orders.csv'));
    const leaving = Array.from({ length: LEAVING }, () => server.visit('/orders.csv'));
    const order = [];
    const pages = staying.map(async ({ answer }) => {
      const { status, body } = await answer;
      order.push('page');
      assert.equal(status, 200);
      assert.match(body, END);
    });
    await staying[0].begun;
    const { status } = await server.ask('/checkout', { method: 'POST' });
    assert.equal(status, 201);
    assert.deepEqual(order, []);
    await Promise.all(leaving.map(async ({ begun, leave }) => {
      await begun;
      leave();
    }));
    assert.equal((await server.ask('/health')).body, 'ok\n');
    await Promise.all(pages);

    await server.says(/the statistics are ready/);
    assert.equal(server.output.match(LEFT).length, LEAVING, server.output);
    assert.doesNotMatch(server.output, /error/i);
    const { code, signal } = await server.terminate();
    // Deno names the signal that was sent as the cause of the end, also if the process handled it.
    if (signal === null) assert.equal(code, 0, server.output);
    assert.match(server.output, /ended:/);
  }).timeout(SLOW);
});

'use strict';

// Background work in a container with a CPU quota: it does not make the kernel stop the process,
// and goes on. core/tests/ has what a hold does to the loop and the process,
// tasks/idle-scope.test.js what lifts it, ecosystem/idle.test.js what takes longer to see;
// `npm run bench idle` has the figures.
// @lane waiting whole
// @host any

const assert = require('node:assert/strict');
const { setTimeout: sleep } = require('node:timers/promises');
const { available } = require('../../bench/idle/control-group.js');
const { FEW, assertAnswered, throttledShare, until, withGroup } =
  require('../helpers/idle-servers.js');
const { LIMIT } = require('../helpers/programs.js');

// A quarter of a processor, which is available even on a busy machine.
const QUARTER = 25;

// The time that holding takes to settle, and that is counted, in ms.
const SETTLE = 2000;
const COUNTED = 3000;

// Of the periods. Nearly all are throttled if background work takes what it can get.
const MOST = 0.7;

// Calls `work` with a group of a quota and a server in it with background work.
const withServer = (contender, work) =>
  withGroup(QUARTER, async ({ group, start, limit, requestPages }) => {
    const server = await start({ contender });
    limit();
    await server.start();
    return work({ group, server, requestPages });
  });

// Runs a server with requests and background work. Resolves to what can be counted of it.
async function countServer(contender) {
  return withServer(contender, async ({ group, server, requestPages }) => {
    const requests = requestPages(server);
    await sleep(SETTLE);
    const before = await server.read();
    const throttled = await throttledShare(group, COUNTED);
    const after = await server.read();
    assertAnswered(await requests.stop());
    const [pieces] = after.pieces.map((count, i) => count - before.pieces[i]);
    return { throttled, pieces };
  });
}

describe('background work in a container', () => {
  before(async () => console.log(`  (here ${await available()})`));

  it('leaves the requests of a server their quota, and goes on', async () => {
    const [none, container] = await Promise.all(['none', 'container'].map(countServer));
    assert.ok(container.throttled <= none.throttled + FEW,
      `throttled: ${container.throttled}, without background work: ${none.throttled}`);
    assert.ok(container.pieces > 0, 'no background work was done');
  }).timeout(LIMIT);

  it("gets the process stopped in most periods with 'loop', so that these tests can fail",
    () => withServer('loop', async ({ group, server }) => {
      const most = group.exists ? MOST : 0;
      await until(async () => await throttledShare(group, COUNTED) >= most, LIMIT / 2);
      assert.ok((await server.read()).pieces[0] > 0);
    })).timeout(LIMIT);
});

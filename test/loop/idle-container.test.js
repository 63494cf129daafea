'use strict';

// Background work in a container with a CPU quota: it does not make the kernel stop the process,
// and what waits for it comes to its end. ecosystem/idle.test.js tests what takes longer to see;
// `npm run bench idle` has the figures.
// @lane waiting whole
// @host any

const assert = require('node:assert/strict');
const { fork, spawn } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { available } = require('../helpers/control-group.js');
const {
  BURNER, FEW, assertAnswered, throttledShare, until, withGroup,
} = require('../helpers/idle-servers.js');
const { FIXTURES, LIMIT } = require('../helpers/programs.js');

const HELD = path.join(FIXTURES, 'held-in-group.js');

// A quarter of a processor, which is available even on a busy machine, and a limit of 50m.
const QUARTER = 25;
const LITTLE = 5;
// For two processes, one of which never sleeps.
const SCARCE = 10;

// The time that holding takes to settle, and that is counted, in ms.
const SETTLE = 2000;
const COUNTED = 3000;

// Of the periods. Nearly all are throttled if background work takes what it can get.
const MOST = 0.7;

// A share of the quota: nearly all of it, unless other processes want the processor.
const PART = 0.2;

// Calls `work` with a group of this quota and a server in it with background work.
const withServer = (quota, contender, work) =>
  withGroup(quota, async ({ group, start, limit, requestPages }) => {
    const server = await start({ contender });
    limit();
    await server.start();
    return work({ group, server, requestPages });
  });

// Runs a server with requests and background work. Resolves to what can be counted of it.
async function countServer(contender) {
  return withServer(QUARTER, contender, async ({ group, server, requestPages }) => {
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

// Runs fixtures/held-in-group.js in a group whose quota another process uses up. Resolves to what
// it prints.
async function runHeld(action) {
  return withGroup(SCARCE, async ({ group, limit }) => {
    const [execPath, execArgv] = group.command(process.execPath);
    const stdio = ['ignore', 'pipe', 'inherit', 'ipc'];
    const child = fork(HELD, [action], { execPath, execArgv, stdio });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    await once(child, 'message');
    const [program, args] = group.command(process.execPath, ['-e', BURNER]);
    const burner = spawn(program, args, { stdio: 'inherit' });
    await once(burner, 'spawn');
    limit();
    child.send('go');
    await once(child, 'message');
    // Nothing else lifts the hold of what keeps the process.
    if (action === 'keep') burner.kill('SIGKILL');
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT);
    const [code, signal] = await once(child, 'close');
    clearTimeout(timer);
    burner.kill('SIGKILL');
    if (burner.exitCode === null && burner.signalCode === null) await once(burner, 'exit');
    const lines = output.trimEnd().split('\n').map((line) => JSON.parse(line));
    const { isHeld, ...result } = Object.assign({ code, signal }, ...lines);
    // Without a group, one around this process may have a quota, or none.
    assert.ok(isHeld || !group.exists, 'nothing was held');
    return result;
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
    async () => {
      await withServer(QUARTER, 'loop', async ({ group, server }) => {
        const most = group.exists ? MOST : 0;
        await until(async () => await throttledShare(group, COUNTED) >= most, LIMIT / 2);
        assert.ok((await server.read()).pieces[0] > 0);
      });
    }).timeout(LIMIT);

  it('of a program without requests goes on with a twentieth of a processor', async () => {
    await withServer(LITTLE, 'container', async ({ group, server: program }) => {
      await sleep(SETTLE);
      const before = group.read();
      const [counted] = (await program.read()).pieces;
      const throttled = await throttledShare(group, COUNTED);
      const [pieces] = (await program.read()).pieces;
      assert.ok(pieces > counted, 'no background work was done');
      assert.ok(throttled <= FEW, `throttled: ${throttled}`);
      const used = (group.read().usage - before.usage) / 1e6;
      assert.ok(!group.exists || used > COUNTED * LITTLE / 100 * PART, `${used} ms were used`);
    });
  }).timeout(LIMIT);

  for (const [title, action, expected] of [
    ['is not held any more while drain() waits', 'drain', { missing: 0, heldMeanwhile: false }],
    ['is not held any more while onIdle() waits', 'onIdle', { missing: 0, heldMeanwhile: false }],
    ['keeps the process until it has run, when it is not held any more', 'keep', { missing: 0 }],
    ['lets the process end if what is held is unreferenced', 'leave', { isLeft: true }],
  ]) {
    it(title, async () => {
      assert.deepEqual(await runHeld(action), { code: 0, signal: null, ...expected });
    }).timeout(2 * LIMIT);
  }
});

'use strict';

// Background work of several processes, of worker threads, beside another quota and beside a
// neighbour: the guarantees of 'container' and 'machine' that take longer to see than those of
// loop/idle-container.test.js. `npm run bench idle` has the figures.
// @lane measuring

const assert = require('node:assert/strict');
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { bound } = require('../../bench/harness/processes.js');
const { available } = require('../../bench/idle/control-group.js');
const {
  BURNER, FEW, assertAnswered, throttledShare, until, withGroup,
} = require('../helpers/idle-servers.js');
const { LIMIT } = require('../helpers/programs.js');

// A quota of half a processor, and one that holds nothing itself, in ms of each 100.
const HALF = 50;
const TWO = 200;

// The time that is counted, in ms, and the pieces of which each has to have its share: the shares
// go up and down for some seconds at a time.
const COUNTED = 10_000;
const MANY = 2000;

const SECOND = 1000;

// The smallest share, of the largest one.
const PART = 1 / 3;

// Beside a neighbour that never sleeps: the time that is taken, of that with 'loop'.
const LESS = 0.75;

// The first processor that this process may use; null where none can be chosen.
function oneProcessor() {
  if (spawnSync('taskset', ['-V']).status !== 0) return null;
  const status = fs.readFileSync('/proc/self/status', 'utf8');
  return [Number(/^Cpus_allowed_list:\s*(\d+)/m.exec(status)[1])];
}

// The processor time that background work takes beside a process that always wants the same
// processor, in ms. The quota is in ms of each 100; that process is in the same group, or not. And
// whether the two shared a processor and there was a quota.
async function timeBesideBurner({ contender, threads = 0, quota = Infinity, isInside = false }) {
  return withGroup(quota, async ({ group, start, limit }) => {
    const processors = oneProcessor();
    const server = await start({ contender, threads, processors });
    limit();
    let [program, args] = bound(processors, process.execPath, ['-e', BURNER]);
    if (isInside) [program, args] = group.command(program, args);
    const burner = spawn(program, args, { stdio: 'inherit' });
    await server.start();
    await sleep(SECOND);
    const before = await server.read();
    await sleep(COUNTED);
    const after = await server.read();
    burner.kill('SIGKILL');
    await once(burner, 'exit');
    await until(async () => (await server.read()).pieces[0] > after.pieces[0], LIMIT);
    return { time: after.cpu - before.cpu, isShared: processors !== null, hasQuota: group.exists };
  });
}

describe("background work with 'container'", () => {
  before(async () => console.log(`  (here ${await available()})`));

  for (const [sharers, processes, threads] of [
    ['the processes of a group', 2, 0], ['worker threads', 1, 2],
  ]) {
    it(`is shared by ${sharers}`, async () => {
      await withGroup(HALF, async ({ group, start, limit, requestPages }) => {
        const servers = [];
        while (servers.length < processes) {
          servers.push(await start({ contender: 'container', threads }));
        }
        limit();
        for (const server of servers) await server.start();
        const requests = servers.map(requestPages);
        await until(async () => {
          const readings = await Promise.all(servers.map((server) => server.read()));
          const counts = readings.flatMap(({ pieces }) => pieces);
          const largest = Math.max(...counts);
          return largest >= MANY && Math.min(...counts) >= PART * largest;
        }, LIMIT);
        const throttled = await throttledShare(group, COUNTED);
        assert.ok(throttled <= 2 * FEW, `throttled: ${throttled}`);
        for (const each of requests) assertAnswered(await each.stop());
      });
    }).timeout(2 * LIMIT);
  }

  it('of a worker thread leaves the processor to others of the group, not to those beside it',
    async () => {
      const settings = { contender: 'container', threads: 1, quota: TWO };
      const { time: beside } = await timeBesideBurner(settings);
      const inside = await timeBesideBurner({ ...settings, isInside: true });
      const { time, isShared, hasQuota } = inside;
      const isTold = isShared && hasQuota;
      assert.ok(!isTold || time < LESS * beside, `${time} ms; beside the group ${beside} ms`);
    }).timeout(2 * LIMIT);
});

describe("background work with 'machine'", () => {
  // Where processes cannot be bound to a processor, each has one to itself, and nothing is left.
  it('leaves the processor to a neighbour that wants it, and goes on when that has ended',
    async () => {
      const { time: loop } = await timeBesideBurner({ contender: 'loop' });
      const { time, isShared } = await timeBesideBurner({ contender: 'machine' });
      assert.ok(!isShared || time < LESS * loop, `${time} ms; with 'loop' ${loop} ms`);
    }).timeout(2 * LIMIT);
});

'use strict';

// Background work beside a neighbour on the processor: what takes longer to see than the tests of
// loop/idle-container.test.js. core/idle/tests/ simulates several processes and threads in a group,
// and `npm run bench idle` has the figures.
// @lane measuring

const assert = require('node:assert/strict');
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { bound } = require('../../bench/harness/processes.js');
const { until, withGroup } = require('../helpers/idle-servers.js');
const { LIMIT } = require('../helpers/programs.js');

// A program that never sleeps.
const BURNER = 'for (;;);';

// The time that is counted, in ms: the shares go up and down for some seconds at a time.
const COUNTED = 10_000;

const SECOND = 1000;

// Beside a neighbour that never sleeps: the time that is taken, of that with 'loop'.
const LESS = 0.75;

// The first processor that this process may use; null where none can be chosen.
function oneProcessor() {
  if (spawnSync('taskset', ['-V']).status !== 0) return null;
  const status = fs.readFileSync('/proc/self/status', 'utf8');
  return [Number(/^Cpus_allowed_list:\s*(\d+)/m.exec(status)[1])];
}

// The processor time that background work takes beside a process that always wants the same
// processor, in ms; and whether the two shared a processor.
async function timeBesideBurner(contender) {
  return withGroup(Infinity, async ({ start, limit }) => {
    const processors = oneProcessor();
    const server = await start({ contender, processors });
    limit();
    const [program, args] = bound(processors, process.execPath, ['-e', BURNER]);
    const burner = spawn(program, args, { stdio: 'inherit' });
    await server.start();
    await sleep(SECOND);
    const before = await server.read();
    await sleep(COUNTED);
    const after = await server.read();
    burner.kill('SIGKILL');
    await once(burner, 'exit');
    await until(async () => (await server.read()).pieces[0] > after.pieces[0], LIMIT);
    return { time: after.cpu - before.cpu, isShared: processors !== null };
  });
}

describe("background work with 'machine'", () => {
  // Where processes cannot be bound to a processor, each has one to itself, and nothing is left.
  it('leaves the processor to a neighbour that wants it, and goes on when that has ended',
    async () => {
      const { time: loop } = await timeBesideBurner('loop');
      const { time, isShared } = await timeBesideBurner('machine');
      assert.ok(!isShared || time < LESS * loop, `${time} ms; with 'loop' ${loop} ms`);
    }).timeout(2 * LIMIT);
});

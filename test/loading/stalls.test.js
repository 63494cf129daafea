'use strict';

// The stalls of `npm run check steady`: all processes of a tree stand still, and go on.
// @host any

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { stall, treeOf } = require('../../scripts/setup/stalls.js');
const { ROOT } = require('../helpers/programs.js');

// A process that starts another, and ends it when its input ends.
const CHILD = 'process.stdin.resume().on("end", () => process.exit()); console.log("up");';
const PROGRAM = `
  const stdio = ['pipe', 'inherit', 'inherit'];
  require('node:child_process').spawn(process.execPath, ['-e', '${CHILD}'], { stdio });
  process.stdin.resume().on('end', () => process.exit());
`;

const stateOf = (pid) => /\) (\w)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))[1];

// Waits until all processes stand still, or until none does.
async function until(pids, isStill) {
  while (!pids.every((pid) => (stateOf(pid) === 'T') === isStill)) await sleep(5);
}

if (process.platform === 'linux') {
  describe('a stall', () => {
    let root;
    let pids;

    beforeEach(async () => {
      root = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
      await once(root.stdout, 'data');
      pids = treeOf(root.pid);
      assert.equal(pids.length, 2);
    });

    afterEach(() => root.stdin.end());

    it('stops a process and what it has started, and lets them go on', async () => {
      const ended = stall(pids, 300);
      await until(pids, true);
      await ended;
      await until(pids, false);
    });

    it('ends also if its process is killed', async () => {
      const stalls = path.join(ROOT, 'scripts', 'setup', 'stalls.js');
      const program = `require(${JSON.stringify(stalls)}).stall([${pids}], 500)`;
      const killed = spawn(process.execPath, ['-e', program]);
      await until(pids, true);
      killed.kill('SIGKILL');
      await until(pids, false);
    });
  });
}

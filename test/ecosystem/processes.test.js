'use strict';

// The ways to start Node with register: flags and NODE_OPTIONS, for main modules of both kinds,
// threads, clusters and pools of threads; and the package beside a single executable. The programs
// are in processes/programs/.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { LIMIT, ROOT, assertOnEachNode, order, run } = require('../helpers/loop.js');

const PROCESSES = path.join(__dirname, 'processes');
const PROGRAMS = path.join(PROCESSES, 'programs');

// In the folder of the package its own public name finds it.
const REGISTER = 'uv-scheduler/register';
const WAYS = {
  '--require': { flags: ['--require', REGISTER], env: process.env },
  '--import': { flags: ['--import', REGISTER], env: process.env },
};
for (const way of Object.keys(WAYS)) {
  const env = { ...process.env, NODE_OPTIONS: `${way} ${REGISTER}` };
  WAYS[`NODE_OPTIONS with ${way}`] = { flags: [], env };
}

const ORDER = 'ours user-blocking user-visible continuation background idle';

// The lines that a program prints. It must end by itself.
async function assertLines(program, way, expected, more = []) {
  const { flags, env } = WAYS[way];
  const args = [...flags, path.join(PROGRAMS, program), ...more];
  const work = async (node) => {
    const { stdout, ...rest } = await run(node, args, { cwd: ROOT, env });
    return { ...rest, lines: stdout.trimEnd().split('\n') };
  };
  await assertOnEachNode({ code: 0, signal: null, stderr: '', lines: expected }, work);
}

for (const [way, { flags, env }] of Object.entries(WAYS)) {
  describe(`a process that preloads register by ${way}`, () => {
    for (const [kind, file] of [['a CommonJS', 'globals.cjs'], ['an ES', 'globals.mjs']]) {
      it(`has the globals in ${kind} module`, async () => {
        // The timer is due when the tasks are posted.
        const expected = ORDER.replace('user-blocking', 'user-blocking timer');
        const args = [...flags, path.join(PROGRAMS, file)];
        const options = { cwd: ROOT, env };
        await assertOnEachNode(expected, (node) => order(node, args, expected, options));
      });
    }

    it('has them in each of its threads, and in the workers of a cluster', async () => {
      await assertLines('workers.cjs', way, Array(5).fill(ORDER));
    });
  });
}

describe('the threads of a pool, which run several jobs at once, run tasks by priority:', () => {
  for (const name of ['piscina', 'tinypool']) {
    it(name, async () => {
      const lines = [
        'step1 step2 urgent user-visible step3', '0 6 12 18 24 30 36 42', 'threads',
      ];
      await assertLines('pool.cjs', '--require', lines, [name]);
    });
  }
});

describe('a single executable', () => {
  // The executable is copied and rewritten, which takes long where the machine is busy.
  const SLOW = 4 * LIMIT;
  const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
  const POSTJECT = path.join(PROCESSES, 'node_modules', 'postject', 'dist', 'cli.js');
  const inFolder = useFolder();

  before(() => {
    fs.mkdirSync(inFolder('node_modules'));
    fs.symlinkSync(ROOT, inFolder('node_modules', 'uv-scheduler'), 'junction');
  });

  // Returns the executable that a Node version makes of the program.
  async function build(node) {
    const file = (name) => inFolder(`${node.major}-${name}`);
    const config = {
      main: path.join(PROGRAMS, 'single-executable.cjs'),
      output: file('blob'),
      disableExperimentalSEAWarning: true,
    };
    fs.writeFileSync(file('config.json'), JSON.stringify(config));
    const executable = file('app.exe');
    fs.copyFileSync(node.path, executable);
    const inject = [POSTJECT, executable, 'NODE_SEA_BLOB', file('blob'), '--sentinel-fuse', FUSE];
    for (const args of [['--experimental-sea-config', file('config.json')], inject]) {
      const { code, stderr } = await run(node, args, { timeout: SLOW });
      assert.equal(code, 0, stderr);
    }
    return { path: executable };
  }

  it('loads the package that is beside it', async () => {
    const stdout = 'user-blocking timer user-visible background idle\n';
    const expected = { code: 0, signal: null, stdout, stderr: '' };
    await assertOnEachNode(expected, async (node) => run(await build(node), []));
  }).timeout(2 * SLOW);
});

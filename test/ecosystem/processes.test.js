'use strict';

// The ways to start Node with register: flags and NODE_OPTIONS, for the process, threads and
// clusters; and the package beside a single executable. The programs are in
// processes/programs/.
// @host each-node

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { LIMIT, ROOT, assertOnEachNode, run } = require('../helpers/loop.js');

const PROCESSES = path.join(__dirname, 'processes');
const PROGRAMS = path.join(PROCESSES, 'programs');

// In the folder of the package its own public name finds it.
const REGISTER = 'uv-scheduler/register';
const WAYS = ['--require', '--import'].flatMap((way) => [
  [way, { flags: [way, REGISTER], env: process.env }],
  [`NODE_OPTIONS with ${way}`, {
    flags: [], env: { ...process.env, NODE_OPTIONS: `${way} ${REGISTER}` },
  }],
]);

const ORDER = 'ours user-blocking user-visible continuation background idle\n';

const assertPrints = (stdout, work) =>
  assertOnEachNode({ code: 0, signal: null, stdout, stderr: '' }, work);

describe('a process that preloads register, its threads and the workers of its cluster', () => {
  for (const [way, { flags, env }] of WAYS) {
    it(`have the globals by ${way}`, async () => {
      const args = [...flags, path.join(PROGRAMS, 'workers.cjs')];
      await assertPrints(ORDER.repeat(5), (node) => run(node, args, { cwd: ROOT, env }));
    });
  }
});

it('scheduler-polyfill, loaded behind register, keeps the registered scheduler', async () => {
  const program = `
    globalThis.self = globalThis;
    const { postTask, yield: goOn } = scheduler;
    const before = [scheduler, postTask, goOn, TaskController, TaskPriorityChangeEvent];
    require('scheduler-polyfill');
    const after = [scheduler, scheduler.postTask, scheduler.yield, TaskController,
      TaskPriorityChangeEvent];
    console.log(after.every((each, i) => each === before[i]));`;
  const args = ['--require', REGISTER, '-e', program];
  await assertPrints('true\n', (node) => run(node, args, { cwd: ROOT }));
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

  it('loads the package that is beside it', () =>
    assertPrints(ORDER, async (node) => run(await build(node), []))).timeout(2 * SLOW);
});

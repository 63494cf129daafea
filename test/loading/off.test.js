'use strict';

// A process with UV_SCHEDULER_DISABLE=all needs no binary and opens none; and how a process says
// which scheduler it has.
// @host programs each-node

const assert = require('node:assert/strict');
const path = require('node:path');
const { copyPackage, useFolder } = require('../helpers/folders.js');
const { FIXTURES, LIMIT, ROOT, assertOnEachNode, nodes, run } = require('../helpers/loop.js');

const OFF = { ...process.env, UV_SCHEDULER_DISABLE: 'all' };

// Loads the entry points of the package in this folder, runs a task, and prints the mode, and
// whether they have one scheduler. Fails if a file of an addon is looked for, opened or loaded.
const program = (folder) => `
  const fs = require('node:fs');
  const refuse = (file) => {
    throw new Error('opened ' + file);
  };
  for (const name of ['openSync', 'existsSync', 'readFileSync', 'statSync']) {
    const original = fs[name];
    fs[name] = (file, ...rest) => /\\.node$/.test(file) ? refuse(file) : original(file, ...rest);
  }
  process.dlopen = (module, file) => refuse(file);
  delete globalThis.WebAssembly;
  const [, portable, { configuration, scheduler }] = ['http', 'portable', 'index'].map((name) => {
    return require(${JSON.stringify(folder)} + '/dist/' + name);
  });
  scheduler.postTask(() => {
    console.log(configuration().mode, scheduler === portable.scheduler);
    const { sharedObjects } = process.report.getReport();
    const isAddon = (file) => /[.]node$/.test(file);
    console.log(sharedObjects.filter(isAddon).join());
  }, { priority: 'background' });
`;

// Asserts what a program prints on each Node while the scheduler is off.
const assertPrints = (stdout, args, env = OFF, options = {}) => {
  const expected = { code: 0, signal: null, stdout, stderr: '' };
  return assertOnEachNode(expected, (node) => run(node, args, { env }), options);
};

const assertLoads = (folder, env) => assertPrints('off true\n\n', ['-e', program(folder)], env);

// The mode of a process, and what it prints on standard error, without the process's number.
async function modeOf(env, code = 'console.log(configuration().mode)') {
  const text = `const { configuration } = require(${JSON.stringify(ROOT)}); ${code}`;
  const found = await run(nodes[0], ['-e', text], { env: { ...process.env, ...env } });
  assert.equal(found.code, 0, found.stderr);
  return [found.stdout.trimEnd(), found.stderr.replaceAll(/UV-SCHEDULER \d+/g, 'UV-SCHEDULER')];
}

describe('a process whose scheduler is off', () => {
  const inFolder = useFolder();

  it('opens no addon, compiles no WebAssembly, and needs neither', async () => {
    await assertLoads(ROOT);
    await assertLoads(ROOT, { ...OFF, UV_SCHEDULER_PORTABLE: '1' });
    copyPackage(inFolder());
    await assertLoads(inFolder());
    await assertLoads(inFolder(), { ...OFF, UV_SCHEDULER_BINARY: '/none.node' });
  }).timeout(LIMIT);

  it('may not load addons under the permission model, and needs not', () => {
    const flags = ['--permission', '--allow-fs-read=*', '--no-warnings'];
    const text = `console.log(require(${JSON.stringify(ROOT)}).configuration().mode)`;
    const on = nodes.filter(({ major }) => major >= 24);
    return assertPrints('off\n', [...flags, '-e', text], OFF, { on });
  }).timeout(LIMIT);

  it('keeps the guarantees that it names', async () => {
    const args = [path.join(FIXTURES, 'guarantees.js')];
    const { stdout } = await run(nodes[0], args, { env: OFF });
    const { found, guarantees } = JSON.parse(stdout);
    const rows = Object.keys(guarantees).filter((row) => guarantees[row]);
    assert.deepEqual(rows, ['oneTaskOneMacrotask', 'liveness']);
    assert.equal(found.oneTaskOneMacrotask, true);
    assert.deepEqual([found.order, found.userBlocking], [false, false]);
  }).timeout(LIMIT);

  it('ends when no task that keeps it alive is left', async () => {
    const text = `
      const { scheduler } = require(${JSON.stringify(ROOT)});
      const { monitorTasks } = require(${JSON.stringify(path.join(ROOT, 'dist', 'watch.js'))});
      monitorTasks().enable();
      const print = (text) => () => console.log(text);
      scheduler.postTask(print('weak'), { delay: 60_000, ref: false });
      scheduler.postTask(print('delayed'), { delay: 50 });
      process.on('beforeExit', print('end'));
    `;
    await assertPrints('delayed\nend\n', ['-e', text]);
  }).timeout(LIMIT);
});

describe('a process', () => {
  const { version } = require('../../package.json');

  for (const [mode, env] of [
    ['addon', {}], ['portable', { UV_SCHEDULER_PORTABLE: '1' }],
    ['addon', { UV_SCHEDULER_DISABLE: '' }], ['addon', { UV_SCHEDULER_DISABLE: 'admission' }],
    ['off', { UV_SCHEDULER_DISABLE: 'ALL' }], ['off', { UV_SCHEDULER_DISABLE: 'admission, all' }],
  ]) {
    it(`with ${JSON.stringify(env)} has the mode '${mode}', and NODE_DEBUG says so`, async () => {
      assert.deepEqual(await modeOf({ NODE_DEBUG: '', ...env }), [mode, '']);
      const [found, stderr] = await modeOf({ NODE_DEBUG: 'uv-scheduler', ...env });
      assert.equal(found, mode);
      assert.ok(stderr.includes(`UV-SCHEDULER: version ${version}, mode ${mode}\n`), stderr);
    });
  }

  it('with an unknown UV_SCHEDULER_DISABLE warns once, and the scheduler is on', async () => {
    const [mode, stderr] = await modeOf({ UV_SCHEDULER_DISABLE: 'admission,al' },
      `require(${JSON.stringify(ROOT)} + '/dist/http.js').createAdmission();
       console.log(configuration().mode)`);
    assert.equal(mode, 'addon');
    assert.equal(stderr.match(/UvSchedulerWarning/g)?.length, 1, stderr);
    assert.match(stderr, /UV_SCHEDULER_DISABLE accepts 'admission' and 'all', but contains "al"/);
  });
});

'use strict';

// Hosts that the addon cannot run in: the package runs as WebAssembly there, and a warning names
// what is missing.
// @host programs each-node

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { FIXTURES, LIMIT, ROOT, assertOnEachNode, nodes, run } = require('../helpers/loop.js');
const { CODE, refusal } = require('../helpers/refusals.js');

const PROGRAM = path.join(FIXTURES, 'load-package.cjs');

// By title: a change of `process.versions`, and what a process prints that then loads the package.
const WITHOUT_LIBUV = {
  // Bun's functions with libuv's names end the process, so none may be called.
  'gets the portable host in place of the addon: Bun': ["versions.bun = '1.0.0';", 'portable\n'],
  'gets the portable host in place of the addon: Deno': ["versions.deno = '1.0.0';", 'portable\n'],
  'is refused with the names of those that are supported if it is none of them': [
    'delete versions.node;',
    `${refusal('it needs Node 20.19, 22.3 or newer, Bun or Deno.')}\n${CODE}\n`,
  ],
};

describe('a host that has no libuv', () => {
  for (const [title, [change, printed]] of Object.entries(WITHOUT_LIBUV)) {
    it(title, () => {
      const program = `
        const versions = { ...process.versions };
        ${change}
        Object.defineProperty(process, 'versions', { value: versions });
        process.dlopen = () => console.log('opened');
        try {
          console.log(require(${JSON.stringify(ROOT)}).configuration().mode);
        } catch (error) {
          console.log(String(error));
          console.log(error.code);
        }
      `;
      const options = { encoding: 'utf8' };
      assert.equal(execFileSync(process.execPath, ['-e', program], options), printed);
    });
  }
});

function testLookups() {
  const inFolder = useFolder();
  const library = () => inFolder('lookup.so');
  const preload = process.platform === 'darwin' ? 'DYLD_INSERT_LIBRARIES' : 'LD_PRELOAD';

  // Runs a program in a process whose symbol look-ups are changed.
  const start = (node, settings, args = [PROGRAM]) =>
    run(node, args, { env: { ...process.env, [preload]: library(), ...settings } });

  before(() => {
    const source = path.join(FIXTURES, 'lookup', 'lookup.c');
    execFileSync('cc', ['-shared', '-fPIC', '-o', library(), source, '-ldl']);
  });

  const LOADED = { code: 0, signal: null, stdout: 'true\ntask\nexit 0\n' };

  // Asserts that the package runs as WebAssembly, and returns the reason that the warning gives.
  async function reasonOf(node, settings) {
    const { stderr, ...end } = await start(node, settings);
    assert.deepEqual(end, LOADED);
    const warning = /_PORTABLE\] \w+: uv-scheduler cannot run with its addon: (.*)\nIt runs as /;
    return warning.exec(stderr)?.[1];
  }

  it('is named with the missing function, for each function', async () => {
    // The addon looks up the same names on each.
    const node = nodes.at(-1);
    const file = inFolder('list');
    const { code, stdout } = await start(node, { LOOKUP_LIST: file });
    assert.deepEqual({ code, signal: null, stdout }, LOADED);
    const asked = fs.readFileSync(file, 'utf8').trim().split('\n');
    assert.ok(asked.includes('uv_walk') && asked.includes('uv_close'), asked.join());
    // What napi-rs looks up, it can do without.
    for (const name of asked.filter((each) => each !== 'uv_run')) {
      const reason = await reasonOf(node, { LOOKUP_WITHOUT: name });
      assert.equal(reason, `it has no libuv function ${name}()`);
    }
  }).timeout(4 * LIMIT);

  // The numbers of the types in libuv's ABI.
  const TYPES = { uv_prepare_t: 9, uv_check_t: 2, uv_idle_t: 6, uv_timer_t: 13 };
  for (const [type, number] of Object.entries(TYPES)) {
    it(`is named if its ${type} has another size`, async () => {
      await assertOnEachNode([type, 8], async (node) => {
        const reason = await reasonOf(node, { LOOKUP_SIZE: number });
        const [, name, host, expected] =
          /^(\w+) has (\d+) bytes in its libuv, (\d+) were expected$/.exec(reason);
        return [name, host - expected];
      });
    });
  }

  // The output of a program's tasks while the first calls into JavaScript fail.
  const logged = (node, failures) => {
    const program = `
      const { scheduler } = require(${JSON.stringify(ROOT)});
      setTimeout(() => {
        for (const name of ['a', 'b', 'c']) scheduler.postTask(() => console.log(name));
      }, 1);
      setTimeout(() => scheduler.postTask(() => console.log('later')), 50);
    `;
    return start(node, { LOOKUP_FAILURES: String(failures) }, ['-e', program]);
  };

  it('loses no task when calls into JavaScript fail, and goes on behind many', async () => {
    const expected = { code: 0, signal: null, stdout: 'a\nb\nc\nlater\n', stderr: '' };
    await assertOnEachNode(expected, (node) => logged(node, 2));
    await assertOnEachNode([0, true], async (node) => {
      const { code, stdout } = await logged(node, 10);
      return [code, stdout.endsWith('later\n')];
    });
  });
}

// Windows has no variable that preloads a library into a process.
if (process.platform !== 'win32') {
  describe('a host that lacks something of libuv or of Node-API', testLookups);
}

'use strict';

// Hosts that are not Node: loading the package throws an error that names what is missing, and does
// no harm.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { FIXTURES, run } = require('../helpers/loop.js');
const { noLoop, refusal, refused } = require('../helpers/refusals.js');
const hosts = require('./hosts');

const PROGRAM = path.join(FIXTURES, 'load-package.cjs');

describe('a host that is not Node', () => {
  let folder;

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-host-'));
  });

  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  const HOSTS = [
    ['Bun', hosts.bun, [], 'exit 1\n'],
    // Deno calls no exit listener after an uncaught error.
    ['Deno', hosts.deno, ['run', '--allow-all', '--no-lock'], ''],
  ];

  for (const [name, executable, args, last] of HOSTS) {
    const what = noLoop(name);
    const start = (...more) => {
      const env = { ...process.env, DENO_DIR: folder, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };
      return run({ path: executable }, [...args, PROGRAM, ...more], { env });
    };

    it(`${name} is refused with an error that can be caught`, async () => {
      assert.deepEqual(await start(), refused(what));
    });

    it(`${name} ends with the error if nothing catches it`, async () => {
      const { code, signal, stdout, stderr } = await start('uncaught');
      assert.deepEqual({ code, signal, stdout }, { code: 1, signal: null, stdout: last });
      assert.ok(stderr.includes(refusal(what).replace('Error: ', '')), stderr);
    });
  }
});

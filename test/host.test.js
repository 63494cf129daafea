'use strict';

// Hosts that the addon cannot run in: a clear error when it is loaded, and nothing worse.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const path = require('node:path');

const ROOT = path.join(__dirname, '..');

describe('a host that has no libuv', () => {
  // Bun's functions of libuv's names end the process, so it must not come to a call.
  it('is told by its name and refused, before the addon is loaded', () => {
    const program = `
      const versions = { ...process.versions, bun: '1.0.0' };
      Object.defineProperty(process, 'versions', { value: versions });
      try {
        require(${JSON.stringify(ROOT)});
      } catch ({ name, message }) {
        console.log(name + ': ' + message);
      }
      console.log(Object.keys(require.cache).some((file) => file.endsWith('.node')));
    `;
    const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    assert.equal(status, 0);
    const message = 'Error: uv-scheduler cannot run in this process: Bun has no libuv event loop';
    assert.equal(stdout, `${message}\nfalse\n`);
  });
});

'use strict';

// The error that loading the package throws in a host that it does not support.

const CODE = 'ERR_UV_SCHEDULER_UNSUPPORTED';

const refusal = (what) => `Error: uv-scheduler cannot run in this process: ${what}`;

const noLoop = (host) => `${host} has no libuv event loop. The package runs in Node only.`;

// The output and the exit code of fixtures/load-package.cjs in a host that is refused.
const refused = (what) => ({
  code: 0,
  signal: null,
  stdout: `${refusal(what)}\n${CODE}\n`.repeat(2) + 'timer\nexit 0\n',
  stderr: '',
});

module.exports = { CODE, noLoop, refusal, refused };

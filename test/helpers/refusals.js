'use strict';

// The error that loading the package throws in a host that it does not support.

const CODE = 'ERR_UV_SCHEDULER_UNSUPPORTED';

const refusal = (what) => `Error: uv-scheduler cannot run in this process: ${what}`;

// The end of the message if the addon cannot run.
const WAY_OUT =
  '\nWithout the addon: import uv-scheduler/portable, or set UV_SCHEDULER_PORTABLE=1.';

// The output and the exit code of fixtures/load-package.cjs in a host that is refused.
const refused = (what) => ({
  code: 0,
  signal: null,
  stdout: `${refusal(what)}${WAY_OUT}\n${CODE}\n`.repeat(2) + 'timer\nexit 0\n',
  stderr: '',
});

module.exports = { CODE, WAY_OUT, refusal, refused };

'use strict';

// The error that loading the package throws in a host that it does not support.

const CODE = 'ERR_UV_SCHEDULER_UNSUPPORTED';

const refusal = (what, where = 'in this process') =>
  `Error: uv-scheduler cannot run ${where}: ${what}`;

module.exports = { CODE, refusal };

'use strict';

// The error that loading the package throws in a host that it does not support.

const CODE = 'ERR_UV_SCHEDULER_UNSUPPORTED';

const refusal = (what) => `Error: uv-scheduler cannot run in this process: ${what}`;

// The beginning of the warning if the package runs as WebAssembly, as its binary does not load.
const warning = (what, file) => `uv-scheduler cannot run with its addon ${file}: ${what}`;

module.exports = { CODE, refusal, warning };

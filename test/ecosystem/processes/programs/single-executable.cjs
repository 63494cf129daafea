'use strict';

// The main script of a single executable, whose own `require` loads built-in modules alone. The
// package, with its addon, is in node_modules beside the executable.

const { createRequire } = require('node:module');

const requireBeside = createRequire(process.execPath);
requireBeside('uv-scheduler/register');
requireBeside('./node_modules/uv-scheduler/test/ecosystem/processes/programs/globals.cjs');

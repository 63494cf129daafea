'use strict';

// The error with which the package refuses a host that it does not support. Programs can detect it
// by its code, and fall back.

const { withCode } = require('../webidl/error-code.js');

const CODE = 'ERR_UV_SCHEDULER_UNSUPPORTED';

function refusal(what, options, where = 'in this process') {
  const error = new Error(`uv-scheduler cannot run ${where}: ${what}`, options);
  return withCode(error, CODE);
}

module.exports = { CODE, refusal };

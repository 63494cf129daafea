'use strict';

// The exports of `uv-scheduler/http`.

const { sharePart } = require('../internal.js');

// Loaded by one copy of the package, as a request has one controller in all of them.
const load = () => {
  const { admissionWith, createAdmission } = require('./admission/index.js');
  return {
    ...require('./controller-for.js'),
    createAdmission,
    ...require('./shut-down.js'),
    // For uv-scheduler/guard.
    [Symbol.for('uv-scheduler.internal')]: { admissionWith },
  };
};

module.exports = sharePart('http', load);

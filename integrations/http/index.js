'use strict';

// The exports of `uv-scheduler/http`.

const { sharePart } = require('../internal.js');

// Loaded by one copy of the package, as a request has one controller in all of them.
const load = () => ({
  ...require('./controller-for.js'),
  ...require('./admission/index.js'),
  ...require('./shut-down.js'),
});

module.exports = sharePart('http', load);

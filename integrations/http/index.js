'use strict';

// The exports of `uv-scheduler/http`.

// Loaded first, as they throw in an unsupported host.
require('../../lib/loading/supported.js');
const { controllerFor } = require('./controller-for.js');
const { createAdmission } = require('./admission/index.js');
const { shutDown } = require('./shut-down.js');

module.exports = { controllerFor, createAdmission, shutDown };

'use strict';

// The exports of `uv-scheduler/http`: what a server needs beside its requests.

// First, as it refuses a host that cannot be used.
const { controllerFor } = require('./controller-for.js');
const { createAdmission } = require('./admission/index.js');
const { shutDown } = require('./shut-down.js');

module.exports = { controllerFor, createAdmission, shutDown };

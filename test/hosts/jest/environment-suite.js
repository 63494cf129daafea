'use strict';

// The suite in a context of whatever environment.

const api = require('../../../index.js');
const { suite } = require('../../fixtures/runners/suite.js');

for (const [name, check] of Object.entries(suite)) it(name, () => check(api));

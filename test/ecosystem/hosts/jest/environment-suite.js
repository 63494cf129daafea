'use strict';

// The suite in a context of any environment.

const api = require('../../../..');
const { suite } = require('../../../fixtures/runners/suite.js');

for (const [name, check] of Object.entries(suite)) it(name, () => check(api));

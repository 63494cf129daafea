'use strict';

// The package loaded when jest has faked the timers. jest does so before the test file with the
// setting `enableGlobally`.

const { testFakeTimers } = require('../../../fixtures/runners/fake-timers.js');
const clock = require('./clock.js');

testFakeTimers(it, clock, () => require('../../../..'));

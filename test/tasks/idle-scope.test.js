'use strict';

// The scope of idleness that background work waits for: the setting, the environment variable, and
// the calls that lift the hold. The programs are in fixtures/scenarios/, named by the guarantees.

const { testScenarios } = require('../helpers/loop.js');

describe('what has to be idle before background work', () => testScenarios('idle-scope'));

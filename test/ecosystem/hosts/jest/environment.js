'use strict';

// jest's node environment, which itself uses the package in the same process, outside the contexts
// of the test files.

const { TestEnvironment } = require('jest-environment-node');
const { TaskController, scheduler } = require('../../../..');

module.exports = class extends TestEnvironment {
  // After each test, when its file has loaded the package, too.
  async handleTestEvent({ name }) {
    if (name !== 'test_done') return;
    const { signal } = new TaskController({ priority: 'user-blocking' });
    await scheduler.postTask(() => scheduler.yield(), { signal, delay: 1 });
  }
};

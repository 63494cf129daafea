'use strict';

// jest's node environment, which itself uses the package: outside the contexts of the test files,
// and in the same process.

const { TestEnvironment } = require('jest-environment-node');
const { TaskController, scheduler } = require('../../../index.js');

module.exports = class extends TestEnvironment {
  // Behind each test: its file has loaded the package by then, too.
  async handleTestEvent({ name }) {
    if (name !== 'test_done') return;
    const { signal } = new TaskController({ priority: 'user-blocking' });
    await scheduler.postTask(() => scheduler.yield(), { signal, delay: 1 });
  }
};

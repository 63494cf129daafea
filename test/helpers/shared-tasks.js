'use strict';

// Helpers of the tests of shared tasks: joins that leave, and turns for what is queued.

const assert = require('node:assert/strict');
const { scheduler } = require('../..');

// Far longer than anything takes here.
const MOST_WAITED = 10_000;

// Lets everything run that is queued.
const background = () => scheduler.postTask(() => {}, { priority: 'background' });

async function until(isDone) {
  const start = performance.now();
  while (!isDone()) {
    assert.ok(performance.now() - start < MOST_WAITED, 'it never comes');
    await background();
  }
}

// A signal for a join(), and a function that ends it.
function leaving() {
  const controller = new AbortController();
  return { signal: controller.signal, leave: () => controller.abort('left') };
}

module.exports = { background, leaving, until };

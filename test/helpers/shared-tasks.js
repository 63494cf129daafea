'use strict';

// Helpers of the tests of shared tasks: runs that end when they are told to, and joins that leave.

const assert = require('node:assert/strict');
const { SharedTask, scheduler } = require('../..');

// Far longer than anything takes here.
const MOST_WAITED = 10_000;

// A shared task whose runs end when they are told to.
function controlled(options) {
  const runs = [];
  const task = new SharedTask(() => new Promise((resolve, reject) => {
    runs.push({ resolve, reject });
  }), options);
  return { task, runs };
}

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

module.exports = { background, controlled, leaving, until };

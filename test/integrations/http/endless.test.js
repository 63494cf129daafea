'use strict';

// A chain that never ends delays its equals by little, of whatever priority they are, if it belongs
// to a request or has a fairness key.

const assert = require('node:assert/strict');
const { scheduler, shouldYield } = require('../../..');
const { controllerFor } = require('uv-scheduler/http');
const { LIMIT } = require('../../helpers/programs.js');
const { PRIORITIES, busy } = require('../../helpers/tasks.js');

// Longer than the first level lasts until levels are learned, in turns of the chain.
const BEFORE = 60;
const PIECE = 1;

const ROUNDS = 7;

// On a quiet machine it is two or three. A task during which the machine stands still is charged.
const MOST_TURNS = 10;

// The options of a task of a request of its own.
const ofRequest = () => ({ signal: controllerFor(new AbortController().signal).signal });

const CHAINS = { 'a request': ofRequest, 'a fairness key': () => ({ fairnessKey: 'endless' }) };

const EQUALS = {
  'that has no key': () => ({}),
  'of another key': () => ({ fairnessKey: 'other' }),
  'of the same key': () => ({ fairnessKey: 'endless' }),
  'of another request': ofRequest,
};

const STEPS = {
  'yields after each piece': () => scheduler.yield(),
  'asks whether to yield': () => (shouldYield() ? scheduler.yield() : undefined),
};

// By the kind of the equals, how many turns a chain has before a task of theirs starts, as a
// median.
async function turnsBefore(chain, priority, step) {
  let isOver = false;
  let turns = 0;
  const running = scheduler.postTask(async () => {
    while (!isOver) {
      turns++;
      busy(PIECE);
      await step();
    }
  }, { ...chain(), priority });
  const medians = {};
  try {
    while (turns < BEFORE) await new Promise((resolve) => setTimeout(resolve, PIECE));
    for (const [name, options] of Object.entries(EQUALS)) {
      const counts = [];
      for (let i = 0; i < ROUNDS; i++) {
        const before = turns;
        await scheduler.postTask(() => counts.push(turns - before), { ...options(), priority });
      }
      medians[name] = counts.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
    }
  } finally {
    isOver = true;
    await running;
  }
  return medians;
}

describe('an endless chain of', () => {
  for (const [title, chain] of Object.entries(CHAINS)) {
    for (const priority of PRIORITIES) {
      for (const [how, step] of Object.entries(STEPS)) {
        it(`${title} that ${how} delays its equals by little: ${priority}`, async () => {
          const medians = await turnsBefore(chain, priority, step);
          assert.ok(Math.max(...Object.values(medians)) <= MOST_TURNS, JSON.stringify(medians));
        }).timeout(LIMIT);
      }
    }
  }
});

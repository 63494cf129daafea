'use strict';

// A chain that never ends delays its equals by little, of whatever priority they are, if it belongs
// to a request or has a fairness key.

const assert = require('node:assert/strict');
const { scheduler, shouldYield } = require('../../..');
const { controllerFor } = require('uv-scheduler/http');
const { LIMIT } = require('../../helpers/programs.js');
const { busy } = require('../../helpers/tasks.js');

// Longer than the first level lasts until levels are learned, in turns of the chain.
const BEFORE = 60;
const PIECE = 1;

const ROUNDS = 7;

// On a quiet machine it is two or three. A task during which the machine stands still is charged.
const MOST_TURNS = 10;

// The options of a task of a request of its own.
const ofRequest = () => ({ signal: controllerFor(new AbortController().signal).signal });

const CHAINS = {
  'a request': ofRequest,
  'a fairness key': () => ({ fairnessKey: 'endless' }),
};

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

// Runs a chain while `during` does, which gets a function that returns how many turns it has had.
async function beside(options, step, during) {
  let isOver = false;
  let turns = 0;
  const chain = scheduler.postTask(async () => {
    while (!isOver) {
      turns++;
      busy(PIECE);
      await step();
    }
  }, options);
  try {
    while (turns < BEFORE) await new Promise((resolve) => setTimeout(resolve, PIECE));
    await during(() => turns);
  } finally {
    isOver = true;
    await chain;
  }
}

// How many turns a chain has before a task starts, as a median.
async function turnsBefore(options, turns) {
  const counts = [];
  for (let i = 0; i < ROUNDS; i++) {
    const before = turns();
    await scheduler.postTask(() => counts.push(turns() - before), options());
  }
  return counts.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
}

describe('an endless chain of', () => {
  for (const [title, chain] of Object.entries(CHAINS)) {
    for (const priority of ['background', 'user-visible', 'user-blocking']) {
      for (const [how, step] of Object.entries(STEPS)) {
        it(`${title} that ${how} delays its equals by little: ${priority}`, async () => {
          await beside({ ...chain(), priority }, step, async (turns) => {
            for (const [name, options] of Object.entries(EQUALS)) {
              const median = await turnsBefore(() => ({ ...options(), priority }), turns);
              assert.ok(median <= MOST_TURNS, `${median} turns before a task ${name}`);
            }
          });
        }).timeout(LIMIT);
      }
    }
  }
});

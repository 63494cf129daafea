'use strict';

// The quantum: shouldYield() and pieces() in competition with equals, which are continuations of
// the same priority. The least one is a millisecond.

const assert = require('node:assert/strict');
const { configure, pieces, scheduler, shouldYield } = require('../..');
const { PRIORITIES, answerInSilence, busy } = require('../helpers/tasks.js');

const SHORT_SLICE = 5;

// No turn of the loop is longer, so that what is told to yield has had its turn.
const LONG_SLICE = 10_000;

// Lets the lengths of all turns so far be forgotten: some rounds of short ones.
async function forgetTurns(priority) {
  for (let round = 0; round < 4; round++) {
    await scheduler.postTask(() => scheduler.yield(), { priority });
  }
}

// The milliseconds for which code goes on while an equal waits.
async function turnBesideEqual() {
  const equal = scheduler.yield();
  const began = performance.now();
  while (!shouldYield()) busy(0.02);
  const lasted = performance.now() - began;
  await equal;
  return lasted;
}

describe('the quantum', () => {
  before(() => configure({ timeSlice: LONG_SLICE }));
  after(() => configure({ timeSlice: SHORT_SLICE }));

  for (const priority of PRIORITIES) {
    it(`ends the turn of ${priority} code beside equals`, async () => {
      const turn = async () => {
        await forgetTurns(priority);
        return scheduler.postTask(turnBesideEqual, { priority });
      };
      const lasted = await answerInSilence(turn, (each) => each < 2);
      assert.ok(lasted < 2, `${lasted} ms`);
    });
  }

  const isFalse = (answer) => answer === false;

  // Two messages come in one poll phase.
  async function secondListener(question) {
    await forgetTurns('user-visible');
    const { port1, port2 } = new MessageChannel();
    try {
      return await new Promise((resolve, reject) => {
        let equal;
        port2.on('message', async (number) => {
          try {
            if (number === 1) equal = scheduler.yield();
            const answer = await question();
            if (number === 1) while (!shouldYield()) busy(0.1);
            else equal.then(() => resolve(answer));
          } catch (error) {
            reject(error);
          }
        });
        port1.postMessage(1);
        port1.postMessage(2);
      });
    } finally {
      port1.close();
    }
  }

  for (const [where, question] of Object.entries({
    listener: shouldYield,
    reaction: () => Promise.resolve().then(shouldYield),
  })) {
    it(`begins anew with the next ${where} of the same poll phase @messages-apart`, async () => {
      assert.equal(await answerInSilence(() => secondListener(question), isFalse), false);
    });
  }

  it('is that of one turn for sections that are read in turn', async () => {
    await forgetTurns('user-visible');
    const read = await scheduler.postTask(async () => {
      let items = 0;
      const before = scheduler.yield().then(() => items);
      const section = async () => {
        for await (const item of pieces(Array(300).keys())) {
          items += Math.sign(item + 1);
          busy(0.05);
        }
      };
      await Promise.all([section(), section(), section()]);
      return { items, before: await before };
    });
    assert.ok(read.before < read.items / 2, `${read.before} of ${read.items} items before it`);
  });

  for (const priority of PRIORITIES) {
    it(`is that of one turn for ${priority} code that awaits something in every item`, async () => {
      await forgetTurns(priority);
      const read = await scheduler.postTask(async () => {
        let items = 0;
        const before = scheduler.yield().then(() => items);
        for (; items < 900; items++) {
          await undefined;
          busy(0.05);
          if (shouldYield()) await scheduler.yield();
        }
        return before;
      }, { priority });
      assert.ok(read < 450, `${read} items of 900 before the equal`);
    });
  }
});

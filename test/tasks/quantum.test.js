'use strict';

// The quantum: shouldYield() and pieces() in competition with equals, which are continuations of
// the same priority. The least one is a millisecond. On the clock of a test, but for the poll
// phase, which only a loop has.

const assert = require('node:assert/strict');
const { configure, pieces, scheduler, shouldYield } = require('../..');
const { PRIORITIES, output } = require('../helpers/tasks.js');
const { controllerFor } = require('uv-scheduler/http');
const { createTestScheduler } = require('uv-scheduler/testing');

const SHORT_SLICE = 5;

// No turn of the loop is longer, so that what is told to yield has had its turn.
const LONG_SLICE = 10_000;

describe('the quantum', () => {
  before(() => configure({ timeSlice: LONG_SLICE }));
  after(() => configure({ timeSlice: SHORT_SLICE }));

  let test;
  beforeEach(() => (test = createTestScheduler()));
  afterEach(() => test.stop());

  for (const priority of PRIORITIES) {
    it(`ends the turn of ${priority} code beside equals`, async () => {
      let lasted;
      scheduler.postTask(async () => {
        const equal = scheduler.yield();
        while (!shouldYield()) test.spend(0.25);
        lasted = test.now;
        await equal;
      }, { priority });
      await test.flush();
      assert.equal(lasted, 1);
    });
  }

  it('is that of one turn for sections that are read in turn', async () => {
    let before;
    scheduler.postTask(async () => {
      let items = 0;
      scheduler.yield().then(() => (before = items));
      const section = async () => {
        for await (const item of pieces(Array(100).keys())) {
          items += Math.sign(item + 1);
          test.spend(0.25);
        }
      };
      await Promise.all([section(), section(), section()]);
    });
    await test.flush();
    // The other two sections have an item each when the turn is over.
    assert.equal(before, 6);
  });
});

describe('pieces() of requests that have come at once', () => {
  // Runs pages, each given by its number of pieces of 1 ms, and returns the letters of the pages by
  // piece.
  async function run(...lengths) {
    const test = createTestScheduler();
    let order = '';
    const page = (length, index) => {
      const { signal } = controllerFor(new AbortController().signal);
      return scheduler.postTask(async () => {
        for await (const letter of pieces(Array(length).fill('abc'[index]))) {
          order += letter;
          test.spend(1);
        }
      }, { signal });
    };
    const pages = lengths.map(page);
    await test.flush();
    await Promise.all(pages);
    test.stop();
    return order;
  }

  it('do not cut a page of 3 ms, and cut a long one for those', async () => {
    assert.equal(await run(3, 3, 3), 'aaabbbccc');
    assert.match(await run(60, 3, 3), /^a{50,55}bbbccca+$/);
  });
});

// Two messages come in one poll phase. Prints what the second listener is told beside an equal.
function secondListener(root, ask) {
  const api = require(root);
  api.configure({ timeSlice: 10_000 });
  const { port1, port2 } = new MessageChannel();
  port2.on('message', async (number) => {
    if (number === 1) api.scheduler.yield();
    const answer = await ask(api.shouldYield);
    if (number === 1) {
      while (!api.shouldYield());
    } else {
      console.log(answer);
      port2.close();
    }
  });
  port1.postMessage(1);
  port1.postMessage(2);
}

describe('the quantum in a poll phase', () => {
  for (const [where, ask] of Object.entries({
    listener: (question) => question(),
    reaction: (question) => Promise.resolve().then(question),
  })) {
    it(`begins anew with the next ${where} of the same poll phase @messages-apart`, async () => {
      // V8's work in other threads counts as ready I/O.
      const flags = ['--single-threaded'];
      const lines = await output(`(root) => (${secondListener})(root, ${ask})`, flags);
      assert.deepEqual(lines, ['false']);
    });
  }
});

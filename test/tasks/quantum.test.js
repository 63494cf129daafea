'use strict';

// The quantum: shouldYield() and pieces() in competition with equals, which are continuations of
// the same priority. The least one is a millisecond.

const assert = require('node:assert/strict');
const { configure, pieces, scheduler, shouldYield } = require('../..');
const { PRIORITIES, busy } = require('../helpers/tasks.js');

const SHORT_SLICE = 5;

// No turn of the loop is longer, so that what is told to yield has had its turn.
const LONG_SLICE = 10_000;

const IDIOMS = {
  async 'if (shouldYield()) await scheduler.yield()'(items, work) {
    for (const item of items) {
      work(item);
      if (shouldYield()) await scheduler.yield();
    }
  },
  async 'pieces()'(items, work) {
    for await (const item of pieces(items)) work(item);
  },
};

// V8's background work counts as ready I/O for one turn, and the machine may stand still for longer
// than a turn, so most of these tests try again.
async function eventually(attempt, expected, compare = assert.deepEqual) {
  for (let attempts = 1; ; attempts++) {
    const actual = await attempt();
    try {
      compare(actual, expected);
      return;
    } catch (error) {
      if (attempts === 20) throw error;
    }
    await new Promise(setImmediate);
  }
}

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
      await eventually(turn, 2, (lasted, most) => assert.ok(lasted < most, `${lasted} ms`));
    });

    it(`is as long as the longest turn of an equal for ${priority} code`, async () => {
      const lengths = () => scheduler.postTask(async () => {
        let longest;
        const equal = scheduler.yield().then(() => {
          const began = performance.now();
          busy(8);
          longest = performance.now() - began;
        });
        await scheduler.yield();
        await equal;
        // The turn began after the end of the last one.
        const before = performance.now();
        await scheduler.yield();
        await turnBesideEqual();
        return (performance.now() - before) / longest;
      }, { priority });
      await eventually(lengths, 7 / 8, (ratio, least) => assert.ok(ratio >= least, `${ratio}`));
    });
  }

  // Two continuations that were queued before the check phase, with I/O that is ready.
  it('does not end with ready I/O before the first equals @userVisibleContinuations', async () => {
    await eventually(async () => {
      await forgetTurns('user-visible');
      const { port1, port2 } = new MessageChannel();
      const answers = [];
      const ask = () => {
        port1.postMessage('ready');
        busy(0.2);
        answers.push(shouldYield());
      };
      await new Promise((resolve) => {
        port2.once('message', () => {
          const asked = [scheduler.yield().then(ask), scheduler.yield().then(ask)];
          Promise.all(asked).then(resolve);
        });
        port1.postMessage('begin');
      });
      port1.close();
      return answers;
    }, [false, true]);
  });

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

  it('begins anew with the next listener of the same poll phase @messages-apart', async () => {
    await eventually(() => secondListener(shouldYield), false);
  });

  it('begins anew with the next reaction of the same poll phase @messages-apart', async () => {
    await eventually(() => secondListener(async () => {
      await undefined;
      return shouldYield();
    }), false);
  });

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

describe('a page of 2,000 items of 10 µs beside a report in pieces of 5 ms', () => {
  const PAGE = Array.from({ length: 2_000 }, (_, item) => item);

  // By count, as many pieces of the report as the page has items would come between these.
  const MOST = 200;

  const WAYS = {
    'as plain code': (code) => code(),
    'as tasks': (code) => scheduler.postTask(code),
    'as background work': (code) => scheduler.postTask(code, { priority: 'background' }),
  };

  // How many pieces of the report ran while the page did. Both go on when both have begun, as a
  // task that has not begun comes behind every continuation of its priority.
  async function piecesBeside(start, run) {
    let begun = 0;
    let goOn;
    const whenBegun = new Promise((resolve) => (goOn = resolve));
    const startTogether = (code) => start(async () => {
      if (++begun === 2) setImmediate(goOn);
      await whenBegun;
      await code();
    });
    let isOver = false;
    let count = 0;
    function* rows() {
      while (!isOver && count < MOST) yield count++;
    }
    const page = startTogether(async () => {
      await run(PAGE, () => busy(0.01));
      isOver = true;
    });
    const report = startTogether(() => run(rows(), () => busy(5)));
    await Promise.all([page, report]);
    return count;
  }

  for (const [idiom, run] of Object.entries(IDIOMS)) {
    for (const [way, start] of Object.entries(WAYS)) {
      it(`does not wait for each piece, with ${idiom} ${way}`, async () => {
        const count = await piecesBeside(start, run);
        assert.ok(count < MOST / 4, `${count} pieces of the report came between`);
      });
    }
  }
});

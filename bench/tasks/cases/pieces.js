'use strict';

// Measures what pieces() adds to each item of an array, compared with a loop and with async
// iterators; and what a question whether to yield costs.

const { pieces, scheduler, shouldYield } = require('../../..');
const { timePerOperation } = require('../batches');
const { OURS, above, atMost } = require('../goals');

const FOR_OF = 'for…of';
const MAJOR = Number(process.versions.node.split('.')[0]);

// Promises of older versions are slower.
const MOST = MAJOR < 24 ? 160 : 100;

// The number of items, and of those that are timed together.
const ITEMS = { size: 50_000, count: 2_000_000 };

// An async iterator without any question between two items.
function passedOn(items) {
  const iterator = items[Symbol.iterator]();
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(iterator.next()) }) };
}

async function* generated(items) {
  for (const item of items) {
    if (shouldYield()) await scheduler.yield();
    yield item;
  }
}

async function readAll(iterable) {
  let sum = 0;
  for await (const item of iterable) sum += item.size;
  return sum;
}

// The way in which each row reads all items.
const READERS = {
  [OURS]: (items) => readAll(pieces(items)),
  [FOR_OF](items) {
    let sum = 0;
    for (const item of items) sum += item.size;
    return sum;
  },
  'an async iterator that never asks': (items) => readAll(passedOn(items)),
  'an async generator': (items) => readAll(generated(items)),
};

function timePerItem(read) {
  const items = Array.from({ length: ITEMS.size }, (_, size) => ({ size }));
  const expected = (ITEMS.size * (ITEMS.size - 1)) / 2;
  return timePerOperation(ITEMS, async () => {
    const start = performance.now();
    const sum = await read(items);
    const elapsed = performance.now() - start;
    if (sum !== expected) throw new Error(`the sum is ${sum}, not ${expected}`);
    return elapsed;
  });
}

// The number of questions, and of those that are timed together.
const QUESTIONS = { size: 100_000, count: 2_000_000 };

// By row: the function that queues another task or continuation before the questions, if any.
const BESIDE = { [OURS]: () => {}, 'beside an equal': () => scheduler.yield() };

function timeQuestions() {
  const start = performance.now();
  let yes = 0;
  for (let i = 0; i < QUESTIONS.size; i++) if (shouldYield()) yes++;
  return { elapsed: performance.now() - start, yes };
}

const timePerQuestion = (queue) =>
  timePerOperation(QUESTIONS, () => scheduler.postTask(async () => {
    const other = queue();
    const { elapsed } = timeQuestions();
    await other;
    return elapsed;
  }));

const piecesCases = [
  {
    name: 'pieces', title: `${ITEMS.count} items of an array`, unit: 'ns/item',
    rows: Object.keys(READERS),
    goals: [above(FOR_OF, MOST, `at most ${MOST} ns more than ${FOR_OF}`)],
    measure: async (row) => ({ value: await scheduler.postTask(() => timePerItem(READERS[row])) }),
  },
  {
    name: 'should-yield', title: 'a question whether to yield, in a loop that only asks',
    unit: 'ns', rows: Object.keys(BESIDE),
    goals: Object.keys(BESIDE).map((row) => atMost(25, 'ns', row)),
    measure: async (row) => ({ value: await timePerQuestion(BESIDE[row]) }),
  },
];

module.exports = { piecesCases };

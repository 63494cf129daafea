'use strict';

// Random requests and keys on the real loop: no key gets less than its share, no request overtakes
// an earlier one that has used no more, and what is overdue goes first. The seed is fixed, so that
// it is the same programs each time.

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { LIMIT } = require('../../helpers/programs.js');
const { LONGEST, runRequests } = require('../../helpers/requests.js');
const { cases } = require('../../helpers/short.js');

const SEED = 1;
const COUNT = cases(40);

// A machine that stands still between two pieces charges one of them, which is not seen.
const TRIES = 10;

// Not user-blocking ones, whose levels other tests take for those of the beginning.
const PRIORITIES = ['background', 'user-visible'];

// Keys that no other test has.
const WEIGHTS = { 'random-a': 1, 'random-b': 1, 'random-c': 3 };

const piece = fc.record({
  ms: fc.constantFrom(0.1, 0.5, LONGEST),
  pauses: fc.integer({ min: 0, max: 29 }).map((number) => number === 0),
});

// A request has a few tasks. Each task that only names a key is a request of its own.
const request = (maxWait) => fc.record({
  key: fc.constantFrom(...Object.keys(WEIGHTS), undefined),
  isRequest: fc.boolean(),
  maxWait,
  tasks: fc.array(fc.array(piece, { minLength: 1, maxLength: 15 }), { minLength: 1, maxLength: 3 }),
}).map(({ key, isRequest, tasks, ...others }) => {
  const isOne = key !== undefined && isRequest;
  return { ...others, key, isRequest, weight: WEIGHTS[key], tasks: isOne ? tasks : [tasks[0]] };
});

const program = (priorities, maxWait) => fc.record({
  priority: fc.constantFrom(...priorities),
  requests: fc.array(request(maxWait), { minLength: 2, maxLength: 8 }),
});

async function judgeAll(programs) {
  const sum = { shares: 0, order: 0, overdue: 0 };
  for (const each of fc.sample(programs, { seed: SEED, numRuns: COUNT })) {
    let violations;
    for (let i = 0; i < TRIES && violations?.length !== 0; i++) {
      const run = await runRequests(each);
      ({ violations } = run);
      for (const [name, count] of Object.entries(run.judged)) sum[name] += count;
    }
    assert.ok(violations.length === 0, `${violations.join('; ')} in ${JSON.stringify(each)}`);
  }
  return sum;
}

// Other tests may have left the entries without a key far ahead of all keys.
async function catchUp() {
  const pieces = Array.from({ length: 100 }, () => ({ ms: LONGEST, pauses: false }));
  const requests = [undefined, ...Object.keys(WEIGHTS)].map((key) => {
    return { key, weight: WEIGHTS[key], isRequest: false, tasks: [pieces] };
  });
  for (const priority of PRIORITIES) await runRequests({ priority, requests });
}

describe('random requests with keys', () => {
  before(async function () {
    this.timeout(LIMIT);
    await catchUp();
  });

  it('share the thread, and none overtakes an earlier one that has used no more', async () => {
    const { shares, order } = await judgeAll(program(PRIORITIES, fc.constant(undefined)));
    const isEnough = shares > cases(500) && order > cases(300);
    assert.ok(isEnough, `${shares} and ${order} pieces are judged`);
  }).timeout(2 * LIMIT);

  it('start before what is not overdue once they are', async () => {
    const maxWait = fc.constantFrom(1, 5, 20, 600_000);
    const { overdue } = await judgeAll(program(['user-visible'], maxWait));
    assert.ok(overdue > cases(100), `${overdue} pieces are judged`);
  }).timeout(2 * LIMIT);
});

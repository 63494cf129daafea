'use strict';

// An admission without `maxRunning`: as many requests run as end in time while they share the
// thread.

const assert = require('node:assert/strict');
const { setTimeout: sleep } = require('node:timers/promises');

const { currentTaskSignal, pieces, scheduler } = require('../../..');
const { besideClients, closeAll, start } = require('../../helpers/admission.js');
const { busy } = require('../../helpers/tasks.js');

// In ms.
const BOUND = 200;

async function compute(milliseconds) {
  const signal = currentTaskSignal();
  for await (const ms of pieces(new Array(milliseconds).fill(1), { signal })) busy(ms);
}

// Lets a client for each of `paths` ask a server with a listener again and again, until
// `isOver(counts)` is true of the counts of user-visible requests. Resolves to all counts that were
// seen, one for each answer.
async function visit(listener, paths, isOver) {
  const { ask, counts } = await start(async (request, response) => {
    await listener(request);
    response.end();
  }, { refuseAfter: { 'user-visible': BOUND } });
  const seen = [];
  await besideClients(paths.length, async (i) => {
    await ask(paths[i]);
    seen.push(counts()['user-visible']);
  }, () => seen.length > 0 && isOver(seen.at(-1)));
  return seen;
}

const boundsOf = (seen) => seen.map(({ maxRunning }) => maxRunning).filter((each) => each !== null);

describe('an admission without maxRunning of requests that share the thread', () => {
  afterEach(closeAll);

  it('bounds those that all end late, and refuses', async () => {
    const seen = await visit(async () => {
      await sleep(1);
      await compute(5);
    }, new Array(100).fill('/'), ({ maxRunning, refused }) => {
      return maxRunning !== null && refused.wait > 50;
    });
    const [least] = boundsOf(seen).sort((a, b) => a - b);
    // A hundred would run for 500 ms.
    assert.ok(least < 50, `${least} may run`);
    assert.ok(seen.at(-1).refused.wait > 50, `${seen.at(-1).refused.wait} are refused`);
  }).timeout(60_000);

  it('bounds nothing where long requests delay no short ones', async () => {
    const seen = await visit(async ({ url }) => {
      await sleep(1);
      await compute(url === '/long' ? 60 : 1);
    }, ['/', '/', '/', ...new Array(8).fill('/long')], ({ admitted }) => admitted > 300);
    assert.ok(seen.at(-1).admitted > 100);
    assert.deepEqual(boundsOf(seen), []);
  }).timeout(60_000);

  it('bounds nothing where they wait for something else beside background work', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const all = scheduler.postTask(async () => {
      for await (const ms of pieces(new Array(100_000).fill(0.2), { signal })) busy(ms);
    }, { signal, priority: 'background' });
    let count = 0;
    const seen = await visit(() => sleep(count++ < 50 ? 10 : 2 * BOUND),
      new Array(20).fill('/'), ({ admitted }) => admitted > 200);
    controller.abort();
    await assert.rejects(all, { name: 'AbortError' });
    assert.ok(seen.at(-1).admitted > 100);
    assert.deepEqual(boundsOf(seen), []);
  }).timeout(60_000);
});

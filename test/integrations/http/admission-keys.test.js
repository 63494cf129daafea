'use strict';

// Tenants of an admission: the lines by fairness key.

const assert = require('node:assert/strict');
const { renderToPipeableStream } = require('react-dom/server');
const { scheduler } = require('../../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { controllerFor } = require('uv-scheduler/http');
const { ended, makeResponse, serve, useClock } = require('../../helpers/admission-clock.js');
const { page } = require('../../helpers/react.js');

const fairnessKey = ({ headers }) => headers['x-tenant'];

// The number of requests of a key.
const requestsOf = (name) => monitorTasks().keys.find(({ key }) => key === name)?.requests;

describe('an admission with fairness keys', () => {
  const test = useClock();
  const as = (tenant) => ({ 'x-tenant': tenant });

  // Work that shows in a monitor.
  const work = (signal) => scheduler.postTask(() => test.spend(20), { signal });

  it('serves a tenant beside another one that floods it, which alone is refused', async () => {
    const order = [];
    const { ask, counts } = serve(({ headers }, response) => {
      order.push(headers['x-tenant']);
      test.spend(5);
      response.end();
    }, { fairnessKey, maxRunning: 1, maxQueued: 10 });
    for (let i = 0; i < 20; i++) ask('/', as('many'));
    assert.equal(counts()['user-visible'].refused.queue, 10);
    for (let i = 0; i < 2; i++) ask('/', as('few'));
    await test.flush();
    assert.equal(counts()['user-visible'].refused.queue, 12);
    assert.deepEqual([order.length, order.lastIndexOf('few')], [10, 3]);
  });

  it('gives those of no key one of their own, and takes what weights say', async () => {
    const weights = [];
    const fairnessWeight = (key) => void weights.push(key);
    const { ask } = serve((request, response) => response.end(), { fairnessKey, fairnessWeight });
    for (const headers of [{}, as('a')]) ask('/', headers);
    await test.flush();
    assert.deepEqual(weights, ['', 'a']);
  });

  it('serves keys of any length, and those that are numbers', async () => {
    const keys = [];
    const fairnessWeight = (key) => void keys.push(key);
    const { ask } = serve((request, response) => response.end(), { fairnessKey, fairnessWeight });
    for (const key of [7, 'x'.repeat(200)]) ask('/', as(key));
    await test.flush();
    assert.deepEqual([keys[0], keys[1].length], ['7', 120]);
  });

  it('answers 500 if the key or the weight is none, and warns', () => {
    for (const options of [
      { fairnessKey: () => Symbol('no key') },
      { fairnessKey, fairnessWeight: () => 0 },
      { fairnessKey, fairnessWeight: () => '1' },
    ]) {
      assert.equal(serve(assert.fail, options).ask('/', as('a')).statusCode, 500);
    }
  });

  it('moves a request to another key, with the weight that controllerFor() gives', async () => {
    const found = {};
    const { ask } = serve(async (request, response) => {
      const { signal } = controllerFor(response, { fairnessKey: 'first', fairnessWeight: 3 });
      const waiting = work(signal);
      controllerFor(response, { fairnessKey: 'second' });
      const look = () => {
        for (const { key, weight, requests } of monitorTasks().keys) {
          found[key] = [weight, requests];
        }
      };
      await waiting;
      // A new key may remove it, as it is not needed any more.
      look();
      await work(signal);
      look();
      response.end();
    }, {
      fairnessKey,
      fairnessWeight: () => 5,
      before: (request, response) => controllerFor(response, { fairnessKey: 'first' }),
    });
    ask('/', as('of the admission'));
    await test.flush();
    assert.deepEqual([found.first, found.second], [[3, 0], [1, 1]]);
    assert.equal(found['of the admission'], undefined);
  });

  it('charges the signal of an admitted request to the key of the request', async () => {
    const { ask } = serve(async (request, response) => {
      // As frameworks make the signal of a request.
      await work(controllerFor(new AbortController().signal).signal);
      response.end();
    }, { fairnessKey });
    ask('/', as('of a signal'));
    await test.flush();
    assert.equal(monitorTasks().keys.find(({ key }) => key === 'of a signal').time, 20);
  });

  it('keeps the request of a signal in short pauses, and ends it in a long one', async () => {
    const { signal } = controllerFor(new AbortController().signal, { fairnessKey: 'stream' });
    const counts = new Set();
    for (let i = 0; i < 40; i++) {
      scheduler.postTask(() => {}, { signal });
      await test.advance(50);
      counts.add(requestsOf('stream'));
    }
    assert.deepEqual([...counts], [1]);
    await test.advance(2000);
    assert.equal(requestsOf('stream'), 0);
    // A later task is of a request again.
    work(signal);
    await test.flush();
    assert.equal(requestsOf('stream'), 1);
  });

  it('ends the request of a response with that', async () => {
    const response = makeResponse('/');
    const { signal } = controllerFor(response, { fairnessKey: 'ended' });
    work(signal);
    await test.flush();
    assert.equal(requestsOf('ended'), 1);
    response.end();
    await test.flush();
    assert.equal(requestsOf('ended'), 0);
    // A request that is collected would end, too.
    assert.equal(signal.aborted, false);
  });

  it('ends the request of a React page with its response', async () => {
    const { ask } = serve((request, response) => {
      const { pipe } = renderToPipeableStream(page(3, () => test.spend(10)), {
        onShellReady: () => pipe(response),
      });
    }, { fairnessKey });
    let isOver = false;
    ended(ask('/', as('of a page'))).then(() => (isOver = true));
    while (!isOver) await test.flush();
    await test.flush();
    assert.equal(requestsOf('of a page'), 0);
  });
});

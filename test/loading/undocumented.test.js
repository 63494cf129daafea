'use strict';

// A host or a library lacks something that it does not document: one of the things that
// lib/loading/undocumented.js lists.

const assert = require('node:assert/strict');
const path = require('node:path');
const undocumented = require('../../lib/loading/undocumented.js');
const { FIXTURES, testTogether } = require('../helpers/loop.js');

const NONE = { own: ['tick', 'microtask', 'reaction', 'turns'], others: [] };

describe('a task inherits in its own chain alone if ticks and microtasks are resources', () => {
  testTogether([path.join(FIXTURES, 'unknown-resources.js')], {
    'as they are': NONE,
    'of a class of their own': NONE,
    'of a subclass of AsyncResource': NONE,
    'of a class each, with their async id': NONE,
    'plain, with the callback under another name': NONE,
    'without a resource': NONE,
  });
});

describe('without what a host or a library does not document', () => {
  const {
    denoCore, hasNoStores, hasSentContinue, isClassComponent, isMemo, isTransparentType,
    methodsMissingIn, onFirstRead, original, profileOrNone, responsesUnderWay, retry, serverOf,
    sessionOn, sessionsOf, storageOfNext, untrackJob,
  } = undocumented;
  const symbol = (description, value) => ({ [Symbol(description)]: value });

  it('the channels of tasks are published by runStores()', () => {
    assert.equal(hasNoStores({}), false);
    assert.equal(hasNoStores({ _stores: new Map([[1, 1]]) }), false);
  });

  it('a server that shuts down closes other connections when they are idle', () => {
    for (const server of [
      {}, symbol('http.server.connections', undefined), symbol('http.server.connections', {}),
      symbol('http.server.connections', { all: () => [undefined, {}, { socket: {} }] }),
    ]) {
      assert.deepEqual(responsesUnderWay(server), []);
    }
    for (const server of [{}, symbol('sessions', undefined), symbol('sessions', new Set([{}]))]) {
      assert.deepEqual(sessionsOf(server), []);
    }
  });

  it('a server that shuts down knows no accepted socket, and no session of one', () => {
    for (const socket of [{}, { server: undefined }, { server: null, [Symbol('session')]: {} }]) {
      assert.equal(serverOf(socket), undefined);
      assert.equal(sessionOn(socket), undefined);
    }
    assert.equal(serverOf(undefined), undefined);
  });

  it('`100 Continue` is sent from the start, and again', () => {
    let count = 0;
    onFirstRead({}, () => count++);
    assert.equal(count, 1);
    assert.equal(hasSentContinue({}), false);
  });

  it('a report of a slow callback has no stacks', () => {
    for (const profile of [undefined, {}, { nodes: [] }]) {
      assert.deepEqual(profileOrNone(profile).nodes, []);
    }
  });

  it('fake timers that come first are used as they are', () => {
    const fake = Object.assign(() => {}, { clock: {} });
    assert.equal(original(fake, 'nextTick'), fake);
  });

  it('Deno has none of the functions of its core', () => {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'Deno');
    const internal = Symbol('Deno.internal');
    const noPair = { getAsyncContext: () => 1, setAsyncContext: () => assert.fail('not a pair') };
    try {
      for (const core of [undefined, {}, noPair]) {
        globalThis.Deno = { internal, [internal]: { core } };
        assert.deepEqual(denoCore(), {});
      }
    } finally {
      if (before === undefined) delete globalThis.Deno;
      else Object.defineProperty(globalThis, 'Deno', before);
    }
  });

  it('the components of React are rendered as they are, and classes known by their method', () => {
    for (const type of [undefined, null, {}, { $$typeof: Symbol('new') }]) {
      assert.equal(isMemo(type) || isTransparentType(type), false);
    }
    assert.equal(isClassComponent(class { render() {} }), true);
    assert.equal(isClassComponent(() => {}), false);
  });

  it('the sections of a prerender of Next.js wait for their turns', () => {
    const name = Symbol('@next/work-unit-async-storage@none');
    assert.equal(storageOfNext(), undefined);
    globalThis[name] = {};
    assert.equal(storageOfNext(), undefined);
    delete globalThis[name];
  });

  it('IdleWorker names the methods that BullMQ lacks, and repeats no command', async () => {
    assert.equal(methodsMissingIn(class {}).length, 5);
    assert.equal(untrackJob({}, { id: 1 }), undefined);
    const errors = [];
    const worker = { emit: (event, error) => errors.push([event, error]) };
    assert.equal(await retry(worker, async () => { throw new Error('away'); }), undefined);
    assert.deepEqual(errors, [['error', new Error('away')]]);
    assert.equal(await retry(worker, async () => 1), 1);
  });
});

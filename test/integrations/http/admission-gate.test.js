'use strict';

// The reasons for which requests of an admission wait besides its bounds: the gate, which lets
// those come in that have arrived while the thread was blocked, and sections of started pages.

const assert = require('node:assert/strict');
const { channel } = require('node:diagnostics_channel');
const http = require('node:http');
const { PassThrough } = require('node:stream');
const { setImmediate: turn } = require('node:timers/promises');
const { renderToPipeableStream } = require('react-dom/server');
const { TaskController, scheduler } = require('../../..');
const { ArrivalGate } = require('../../../integrations/http/admission/gate.js');
const { now } = require('../../../lib/loop/time.js');
const { createAdmission } = require('uv-scheduler/http');
const { LONG, PATIENT, classify, until } = require('../../helpers/admission.js');
const { page } = require('../../helpers/react.js');
const { busy } = require('../../helpers/tasks.js');

// A gate stays closed for a part of the time in ms that the thread was blocked, but no longer.
const LONGEST_PAUSE = 4;

// So few turns take far less time than a pause, unless the machine stands still.
const FEW_TURNS = 20;

async function turnsUntil(isSo) {
  let turns = 0;
  for (; !isSo(); turns++) await turn();
  return turns;
}

// A server accepts a connection.
const accept = () => channel('net.server.socket').publish({ socket: {} });

describe('the gate of an admission', () => {
  it('stays closed while connections are accepted, for its longest time at most', async () => {
    const gate = new ArrivalGate(() => {});
    const start = now();
    gate.close(start, 0.9);
    assert.equal(gate.isOpen(), true, 'it closes behind a short callback');
    gate.close(start, LONG);
    assert.equal(gate.isOpen(), false);
    await turnsUntil(() => {
      accept();
      return gate.isOpen();
    });
    const time = now() - start;
    assert.ok(time > LONGEST_PAUSE - 0.1, `${time} ms`);
  });

  it('closes at the end of a response only if a connection was accepted since the last', () => {
    const gate = new ArrivalGate(() => {});
    const end = () => {
      gate.ended(gate.seenAt + LONG);
      return gate.isOpen();
    };
    accept();
    gate.ended(gate.seenAt);
    assert.equal(end(), true);
    accept();
    assert.equal(end(), false);
  });

  it('opens soon without a connection, and pauses user-visible tasks until then', async () => {
    // On a busy machine, a gate can open late.
    for (let i = 0; i < 5; i++) {
      const log = [];
      const gate = new ArrivalGate(() => log.push('opened'));
      const start = now();
      gate.close(start, LONG);
      const task = scheduler.postTask(() => log.push('task'));
      for (const count of [1, 2]) {
        const turns = await turnsUntil(() => log.length >= count);
        assert.ok(turns < FEW_TURNS, `${turns} turns`);
      }
      assert.ok(log[0] === 'opened' || now() - start > LONGEST_PAUSE, `${log}`);
      await task;
    }
  });
});

// Sends requests to a listener behind an admission, which logs them.
function serve(listener, options) {
  const log = [];
  const { handler } = createAdmission({ classify, refuseAfter: PATIENT, ...options });
  const admitted = handler((request, response) => {
    log.push(request.url);
    return listener(request, response);
  });
  const ask = (url) => {
    const request = Object.assign(new http.IncomingMessage(), { url, complete: true });
    const response = new http.ServerResponse(request);
    response.assignSocket(new PassThrough());
    admitted(request, response);
    return response;
  };
  return { log, ask };
}

// Serves a request that blocks the thread. Resolves to the order in which it, one that waits, and a
// more important one start whose connection arrives meanwhile.
async function orderBehind(work) {
  const { log, ask } = serve(({ url }, response) => {
    if (url !== '/user-visible/first') {
      response.end();
      return undefined;
    }
    return work(() => {
      // The loop accepts a connection in one turn, and reads from it in the next.
      setImmediate(() => setImmediate(() => ask('/user-blocking')));
      busy(20);
      response.end();
    });
  }, { maxRunning: 1 });
  ask('/user-visible/first');
  ask('/user-visible/second');
  await until(() => log.length === 3);
  return log;
}

describe('a request that has blocked the thread', () => {
  for (const [name, work] of [
    ['in its listener', (block) => block()],
    ['behind an await', async (block) => {
      await turn();
      block();
    }],
  ]) {
    it(`lets those come in that have arrived meanwhile: ${name}`, async () => {
      const expected = ['/user-visible/first', '/user-blocking', '/user-visible/second'];
      let order;
      // If the machine stands still, the gate opens too early.
      for (let attempts = 0; attempts < 5 && `${order}` !== `${expected}`; attempts++) {
        order = await orderBehind(work);
      }
      assert.deepEqual(order, expected);
    });
  }
});

describe('a request that waits for the sections of a started page', () => {
  const responses = [];

  afterEach(() => responses.splice(0).forEach((response) => response.end()));

  // The page shows its sections, and does not end. `render(number)` is called for each of them.
  const servePage = (render, propsOf) => serve(({ url }) => {
    if (url === '/user-visible/page') renderToPipeableStream(page(3, render, propsOf), {});
  });

  it('starts as soon as these have left, whatever else the page waits for', async () => {
    let turns;
    const { log, ask } = servePage((number) => {
      if (number === 0) responses.push(ask('/user-visible/next'));
      if (number === 2) turnsUntil(() => log.length === 2).then((count) => (turns = count));
      return number;
    });
    responses.push(ask('/user-visible/page'));
    await until(() => turns !== undefined);
    assert.ok(turns < FEW_TURNS, `${turns} turns`);
  });

  it('starts before these if their priority falls', async () => {
    const controller = new TaskController();
    const { signal } = controller;
    const { log, ask } = servePage((number) => {
      log.push(number);
      if (number !== 0) return number;
      responses.push(ask('/user-visible/next'));
      controller.setPriority('background');
      return number;
    }, () => ({ signal }));
    responses.push(ask('/user-visible/page'));
    await until(() => log.length === 5);
    assert.deepEqual(log, ['/user-visible/page', 0, '/user-visible/next', 1, 2]);
  });
});

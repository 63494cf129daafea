'use strict';

// The order of beginning requests: a pause of an admission lets connections come in that have
// arrived while the thread was blocked, and requests begin beside the sections of started pages.
// While one page is rendered, another one begins and ends as the table of docs/reference.md says.

const assert = require('node:assert/strict');
const { renderToPipeableStream } = require('react-dom/server');
const { scheduler } = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { ArrivalPause } = require('../../../integrations/http/admission/arrival-pause.js');
const { now, setTurn } = require('../../../lib/loop/time.js');
const { accept, ended, makeResponse, serve, useClock } =
  require('../../helpers/admission-clock.js');
const { LONG } = require('../../helpers/admission.js');
const { page } = require('../../helpers/react.js');

let log;

beforeEach(() => {
  log = [];
});

describe('the pause of an admission', () => {
  const test = useClock();

  it('lasts while connections are accepted, for 4 ms at most, whatever ends', async () => {
    const pause = new ArrivalPause(() => log.push(test.now));
    pause.begin(now(), 0.9);
    assert.equal(pause.isUnderWay, false, 'it begins behind a short callback');
    pause.begin(now(), LONG);
    assert.equal(pause.isUnderWay, true);
    // Each turn of the loop takes a millisecond.
    const work = () => {
      test.spend(1);
      accept();
      if (!pause.isUnderWay) return;
      pause.ended(pause.seenAt + LONG);
      setTurn(work);
    };
    work();
    await test.flush();
    assert.deepEqual(log, [4]);
  });

  it('begins at the end of a response only if one was accepted since the last', async () => {
    const pause = new ArrivalPause(() => {});
    const end = () => {
      pause.ended(pause.seenAt + LONG);
      return pause.isUnderWay;
    };
    accept();
    pause.ended(pause.seenAt);
    assert.equal(end(), false);
    accept();
    assert.equal(end(), true);
    // Otherwise it ends in the next test.
    await test.flush();
  });

  it('ends soon without a connection, and no user-visible task starts until then', async () => {
    const pause = new ArrivalPause(() => log.push('over'));
    pause.begin(now(), LONG);
    scheduler.postTask(() => log.push('task'));
    await test.flush();
    assert.deepEqual([log, test.now], [['over', 'task'], 0]);
  });
});

// The requests that start, in order, of which `listener` gets the first one.
function logging(listener, options) {
  return serve(({ url }, response) => {
    log.push(url);
    return log.length === 1 ? listener(response) : response.end();
  }, options);
}

describe('a request that has blocked the thread', () => {
  const test = useClock();

  for (const [where, work] of [
    ['in its listener', (block) => block()],
    ['behind an await', async (block) => {
      await new Promise((resolve) => setTurn(resolve));
      block();
    }],
  ]) {
    it(`lets those come in that have arrived meanwhile: ${where}`, async () => {
      const { ask } = logging((response) => work(() => {
        // The loop accepts a connection in one turn, and reads from it in the next.
        setTurn(() => setTurn(() => ask('/user-blocking')));
        accept();
        test.spend(20);
        response.end();
      }), { maxRunning: 1 });
      for (const path of ['/first', '/second']) ask(path);
      await test.flush();
      assert.deepEqual(log, ['/first', '/user-blocking', '/second']);
    });
  }
});

describe('a request that comes while sections of a started page wait', () => {
  const test = useClock();

  // Begins to send a page of so many sections. `render(number)` is called for each of them.
  const send = (response, count, render) => {
    const { pipe } = renderToPipeableStream(page(count, render), {
      onShellReady: () => pipe(response),
    });
  };

  // React renders in immediates of its own.
  const untilLogged = async (count) => {
    while (log.length < count) await test.flush();
  };

  it('begins before these, and short pages end one after the other', async () => {
    const { ask } = serve((request, response) => send(response, 10, () => test.spend(0.1)));
    for (const path of ['/1', '/2', '/3']) ended(ask(path)).then(() => log.push(path));
    await untilLogged(3);
    assert.deepEqual(log, ['/1', '/2', '/3']);
  });

  it('does not wait for the end of a long page', async () => {
    const note = ({ req }) => log.push(`${req.url} ended at ${test.now}`);
    const { ask } = serve((request, response) => {
      if (request.url === '/next') return response.end();
      return send(response, 100, (number) => {
        test.spend(1);
        if (number === 0) ended(ask('/next')).then(note);
      });
    });
    ended(ask('/page')).then(note);
    await untilLogged(2);
    // The sections of one turn take a slice at most.
    assert.deepEqual(log, ['/next ended at 5', '/page ended at 100']);
  });
});

// In ms. The long page takes more than the 50 ms of the first level.
const DURATIONS = { long: 300, short: 1 };

const OVERTAKEN = ['long called', 'long begun', 'short called', 'short begun', 'short ended',
  'long ended'];

const pause = () => scheduler.yield();
// Each calls `page`, which makes a page with the function that it gets as its pause.
const FORMS = {
  'does not yield': [(page) => page(() => {}),
    ['long called', 'long begun', 'long ended', 'short called', 'short begun', 'short ended']],
  'yields outside of tasks': [(page) => page(pause), OVERTAKEN],
  'yields in a task without a signal': [(page) => scheduler.postTask(() => page(pause)),
    ['long called', 'long begun', 'short called', 'long ended', 'short begun', 'short ended']],
  'yields in a task of controllerFor()': [(page, response) => {
    const { signal } = controllerFor(response);
    return scheduler.postTask(() => page(pause), { signal });
  }, OVERTAKEN],
  'yields under an admission': [(page) => page(pause), OVERTAKEN, true],
};

describe('a short page that is requested while a long one', () => {
  const test = useClock();

  for (const [title, [form, expected, isAdmitted = false]] of Object.entries(FORMS)) {
    it(title, async () => {
      const listener = async ({ url }, response) => {
        const name = url.slice(1);
        const note = (what) => log.push(`${name} ${what}`);
        note('called');
        await form(async (wait) => {
          note('begun');
          for (let time = 0; time < DURATIONS[name]; time++) {
            test.spend(1);
            await wait();
          }
        }, response);
        note('ended');
        response.end();
      };
      const handle = isAdmitted ? createAdmission().handler(listener) : listener;
      const ask = (url) => {
        const response = makeResponse(url);
        handle(response.req, response);
      };
      setTimeout(ask, 20, '/short');
      ask('/long');
      await test.advance(1000);
      assert.deepEqual(log, expected);
    });
  }
});

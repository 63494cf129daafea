'use strict';

// <Scheduled> with React's server renderer: what is behind each gate is rendered in a turn of its
// own, in the scheduler's order, and gates for which nobody waits hold nothing up.
// test/integrations/react/react-entries.test.js has the entry points and the client.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { getEventListeners } = require('node:events');
const http = require('node:http');
const { text } = require('node:stream/consumers');
const { setImmediate: turn, setTimeout: delay } = require('node:timers/promises');
const { Suspense } = require('react');
const { renderToString } = require('react-dom/server');
const { renderToReadableStream: renderToEdgeStream } = require('react-dom/server.edge');
const { controllerFor } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');
const { TaskController, scheduler } = require('../../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { PolyfillSignal, busy } = require('../../helpers/tasks.js');
const { LIMIT } = require('../../helpers/programs.js');
const { countPerTurn, countTurns, h, page, render, sections } = require('../../helpers/react.js');

const { flowOfSignal } = require('../../..')[Symbol.for('uv-scheduler.internal')];

// The signal of a request of its own.
function requestSignal(options) {
  const response = new http.ServerResponse(new http.IncomingMessage(null));
  return controllerFor(response, options).signal;
}

const numbers = (count) => Array.from({ length: count }, (_, number) => number);

describe('<Scheduled>', () => {
  it('renders a section behind tasks of its priority that were posted before', async () => {
    const log = [];
    scheduler.postTask(() => log.push('task'));
    await render(page(2, (number) => log.push(number)));
    assert.deepEqual(log, ['task', 0, 1]);
  });

  it('follows the priority and abort of its signal if a listener stops events', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    for (const type of ['prioritychange', 'abort']) {
      signal.addEventListener(type, (event) => event.stopImmediatePropagation());
    }
    const rendered = [];
    const note = (number) => {
      rendered.push(number);
      if (number === 0) controller.setPriority('user-blocking');
      if (number === 1) controller.setPriority('background');
      if (number === 3) controller.abort('left');
      return number;
    };
    const propsOf = (number) => (number % 2 === 0 ? {} : { signal });
    const { errors } = await render(page(8, note, propsOf));
    assert.deepEqual(rendered, [0, 1, 2, 4, 6, 3]);
    assert.deepEqual(errors, ['left', 'left']);
  });

  it('shows the fallbacks in renderToString(), which waits for nothing', () =>
    assert.match(renderToString(page(3, String)), /<i>0<\/i>.*<i>1<\/i>.*<i>2<\/i>/s));

  it('has the AsyncLocalStorage values of its render', async () => {
    const storage = new AsyncLocalStorage();
    const seen = await Promise.all(['a', 'b'].map((name) => storage.run(name, async () => {
      const { html } = await render(page(3, () => storage.getStore()));
      return sections(html).join('');
    })));
    assert.deepEqual(seen, ['aaa', 'bbb']);
  });
});

describe('the signal of <Scheduled>', () => {
  it('may be a polyfill, whose reason goes to onError', async () => {
    const signal = new PolyfillSignal();
    const note = (number) => {
      if (number === 1) signal.abort('reason');
      return number;
    };
    const { html, errors } = await render(page(4, note, () => ({ signal })));
    assert.deepEqual([sections(html), errors], [['0', '1'], ['reason', 'reason']]);
    assert.match(html, /<i>2<\/i>.*<i>3<\/i>/s);
    assert.deepEqual(signal.listeners, []);
  });

  it('that was aborted before needs no turn, whatever else is queued', async () => {
    const signal = AbortSignal.abort('reason');
    const errors = [];
    const onError = (error) => errors.push(error);
    const propsOf = () => ({ signal, priority: 'background' });
    const rendered = render(page(2, assert.fail, propsOf), { onError });
    await scheduler.postTask(async () => {
      const begin = performance.now();
      while (errors.length < 2 && performance.now() - begin < 5_000) await scheduler.yield();
    });
    assert.deepEqual(errors, ['reason', 'reason']);
    await rendered;
  }).timeout(LIMIT);

  it('has few listeners while many gates wait, and none afterwards', async () => {
    const { signal } = new TaskController();
    const count = (type) => getEventListeners(signal, type).length;
    let most = 0;
    await render(page(50, () => {
      most = Math.max(most, count('abort'), count('prioritychange'));
    }, () => ({ signal })));
    await scheduler.postTask(() => {}, { priority: 'background' });
    assert.ok(most > 0 && most <= 2, `${most} listeners`);
    assert.deepEqual([count('abort'), count('prioritychange')], [0, 0]);
  });
});

describe('the gates of several renders', () => {
  it('open one in each turn, the oldest first', async () => {
    const counter = countPerTurn();
    const log = [];
    const note = (name) => (number) => log.push(counter.note(name + number));
    await Promise.all(['a', 'b', 'c'].map((name) => render(page(3, note(name)))));
    assert.equal(log.join(' '), 'a0 a1 a2 b0 b1 b2 c0 c1 c2');
    assert.deepEqual(counter.end(), Array(9).fill(1));
  });

  it('open one in each turn if they take long, also behind short ones', async () => {
    const counter = countPerTurn();
    await render(page(54, (number) => (number < 50 ? number : counter.note(number))));
    assert.deepEqual(counter.end(), [1, 1, 1, 1]);
  });

  it('cost no more each if many wait', async () => {
    let looks = 0;
    const looksPerSection = async (count) => {
      looks = 0;
      await Promise.all(numbers(count).map(() => {
        const signal = requestSignal();
        const get = () => (looks++, { level: 0 });
        Object.defineProperty(flowOfSignal(signal), 'place', { get });
        return render(page(4, (number) => number, () => ({ signal })));
      }));
      return looks / count / 4;
    };
    const few = await looksPerSection(20);
    const many = await looksPerSection(200);
    assert.ok(few > 0 && many < 2 * few, `${few}, ${many}`);
  });

  it('open by the thread time of their fairness keys', async () => {
    const log = [];
    const keys = ['much', 'much', 'little'];
    await Promise.all(keys.map((fairnessKey) => {
      const signal = requestSignal({ fairnessKey });
      const note = () => {
        busy(5);
        log.push(fairnessKey);
      };
      return render(page(8, note, () => ({ signal })));
    }));
    // By age alone, they would be the last eight. Thread times vary, so the keys do not alternate
    // exactly.
    assert.equal(log.length, 24);
    assert.ok(log.lastIndexOf('little') < 20, log.join(' '));
    // In ms: what the sections have taken, but for what a request of another test may have left.
    const { time } = monitorTasks().keys.find(({ key }) => key === 'much');
    assert.ok(time > 40, `${time} ms`);
  });

  it('open by priority, also if another was about to open', async () => {
    const { signal } = new TaskController();
    const log = [];
    let urgent;
    await render(page(3, (number) => {
      log.push(number);
      if (number !== 0) return;
      // The head start of continuations is used up, so the timer comes before section 1.
      setTimeout(() => {
        const note = (each) => log.push(`urgent ${each}`);
        urgent = render(page(2, note, () => ({ priority: 'user-blocking' })));
      });
      busy(3);
    }, () => ({ signal })));
    await urgent;
    assert.deepEqual(log, [0, 'urgent 0', 'urgent 1', 1, 2]);
    assert.deepEqual(getEventListeners(signal, 'prioritychange'), []);
  });

  it('are asked for only while they wait, as clients leave at any moment', async () => {
    const held = countTurns();
    const controllers = numbers(300).map(() => new TaskController({ priority: 'background' }));
    const renders = controllers.map(({ signal }) => render(page(1, String, () => ({ signal }))));
    for (const controller of controllers.slice(1).reverse()) {
      controller.abort('left');
      // The gates are asked in steps, and each step takes a turn of the loop.
      if (controllers.indexOf(controller) % 30 === 0) await turn();
    }
    held.end();
    const results = await Promise.all(renders);
    const errors = results.map((result) => result.errors);
    assert.deepEqual(errors, [[], ...Array(299).fill(['left'])]);
  });

  it('are not held up by gates that were never rendered', async () => {
    // React leaves the boundary when a component beside the gate throws.
    const Thrower = () => { throw new Error('thrown'); };
    const lost = h(Scheduled, null, 'lost');
    const { errors } = await render(h(Suspense, null, lost, lost, h(Thrower)));
    assert.deepEqual(errors.map(({ message }) => message), ['thrown']);
    assert.deepEqual(sections((await render(page(3, String))).html), ['0', '1', '2']);
  });

  it('are not those of another render that used the same element', async () => {
    let counter;
    const element = page(4, (number) => counter.note(number));
    for (let i = 0; i < 2; i++) {
      counter = countPerTurn();
      await render(element);
      assert.deepEqual(counter.end(), Array(4).fill(1));
    }
  });
});

// This renderer renders in a timer.
describe("the gates of React's renderer for edge runtimes", () => {
  const COUNT = 40;
  const AT_ONCE = 16;
  const LONG = 5;
  const FORGOTTEN = 100;

  // Renders sections that take so many ms. Returns how many each turn rendered, and the HTML.
  async function rendered(ms, Boundary = Scheduled) {
    const counter = countPerTurn();
    const note = (number) => {
      busy(ms);
      return counter.note(number);
    };
    const stream = await renderToEdgeStream(page(COUNT, note, undefined, Boundary));
    await stream.allReady;
    return { counts: counter.end(), html: await text(stream) };
  }

  // By then, gates of other renders that React has not read are forgotten.
  beforeEach(() => delay(FORGOTTEN));

  it('open a few at once, as it renders later than in an immediate', async () => {
    const { counts, html } = await rendered(0);
    assert.ok(Math.max(...counts) <= AT_ONCE, counts.join(' '));
    assert.deepEqual(sections(html), numbers(COUNT).map(String));
  });

  // The first ones may be as many as it has rendered at once before. A machine that stands still
  // may make one turn of two.
  it('open one in each turn if sections are long', async () => {
    await rendered(LONG);
    const { counts, html } = await rendered(LONG);
    assert.ok(counts.length >= 0.9 * COUNT, counts.join(' '));
    assert.equal(html, (await rendered(0, Suspense)).html);
  });
});

describe('a component behind <Scheduled>', () => {
  it('that is none has the error of React, as behind <Suspense>', async () => {
    const { error } = console;
    console.error = () => {};
    try {
      for (const type of [undefined, null, 1, {}]) {
        const messages = [];
        for (const Boundary of [Suspense, Scheduled]) {
          const element = h('main', null, h(Boundary, null, h(type, null, h('p'))));
          messages.push((await render(element)).errors.map(({ message }) => message));
        }
        assert.match(messages[0].join(), /^Element type is invalid/);
        assert.deepEqual(messages[1], messages[0]);
      }
    } finally {
      console.error = error;
    }
  });

  it('may return a thenable whose then() returns nothing', async () => {
    const Late = () => ({
      then(resolve) {
        setImmediate(resolve, h('p', null, 'late'));
      },
    });
    const { html, errors } = await render(h('main', null, h(Scheduled, null, h(Late))));
    assert.deepEqual(errors, []);
    assert.deepEqual(sections(html), ['late']);
  });
});

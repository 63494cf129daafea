'use strict';

// The sections of <Scheduled> take turns as the tasks of their requests do, on the clock of a test:
// the levels of requests end at 50 and 200 ms there. Monitors and reports have the time of sections
// by priority. React renders in immediates of its own.

const assert = require('node:assert/strict');
const { AsyncResource } = require('node:async_hooks');
const { setImmediate: turn } = require('node:timers/promises');
const { renderToPipeableStream } = require('react-dom/server');
const { prerenderToNodeStream } = require('react-dom/static');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');
const { scheduler } = require('../../..');
const { ended, makeResponse, useClock } = require('../../helpers/admission-clock.js');
const { h, page, render } = require('../../helpers/react.js');
const { busy } = require('../../helpers/tasks.js');
const { collectReports, enabledMonitor, separateTests } = require('../../helpers/watch.js');

const renderTo = (element, response) => void renderToPipeableStream(element).pipe(response);

// The key says how a page gets its request. The value is the function that begins the page, which
// `pageOf(props)` returns, and whether the request is admitted.
const SOURCES = {
  'that are rendered in tasks of requests': [(pageOf, response, signal) =>
    () => scheduler.postTask(() => renderTo(pageOf(), response), { signal })],
  'with signals of requests': [(pageOf, response, signal) =>
    () => renderTo(pageOf({ signal }), response)],
  'of admitted requests': [(pageOf, response) =>
    AsyncResource.bind(() => renderTo(pageOf(), response)), true],
};

describe('the sections of <Scheduled>', () => {
  const test = useClock();

  // Serves pages, each by its path, whose requests are all there when `whenAll(starts)` is called:
  // `starts` begins each page by its path.
  async function serve([begin, isAdmitted = false], pages, whenAll) {
    const starts = {};
    const answer = ({ url }, response) => {
      starts[url] = begin(pages[url], response, controllerFor(response).signal);
    };
    const handle = isAdmitted ? createAdmission().handler(answer) : answer;
    const all = Object.keys(pages).map((url) => {
      const response = makeResponse(url);
      handle(response.req, response);
      return ended(response);
    });
    await test.flush();
    whenAll(starts);
    let isOver = false;
    Promise.all(all).then(() => (isOver = true));
    for (; !isOver; await turn()) await test.flush();
  }

  for (const [which, source] of Object.entries(SOURCES)) {
    it(`${which} of one size: those of one request come before those of the next`, async () => {
      const log = [];
      const pageOf = (name) => (props) => page(2, (number) => {
        const Inner = () => void log.push(`${name} inner`);
        log.push(`${name} ${number}`);
        return h(Scheduled, props, h(Inner));
      }, () => props ?? {});
      const pages = { '/1': pageOf('first'), '/2': pageOf('second') };
      await serve(source, pages, (starts) => Object.values(starts).forEach((start) => start()));
      assert.deepEqual(log, ['first', 'second'].flatMap((name) =>
        [`${name} 0`, `${name} 1`, `${name} inner`, `${name} inner`]));
    });

    // A short page begins when the first section of the long one has taken 250 ms, and another one
    // with the next section. The second in which others keep all sections waiting does not let that
    // time fade.
    it(`${which}: those of short pages come before those of a long one`, async () => {
      const log = [];
      const begin = {};
      const wait = AsyncResource.bind(() =>
        scheduler.postTask(() => test.spend(1000), { priority: 'user-blocking' }));
      const pageOf = (name, count, first) => (props = {}) => page(count, () => {
        test.spend(6);
        if (!log.includes(name)) first?.();
        log.push(name);
      }, () => props);
      const First = ({ props }) => {
        test.spend(250);
        begin['/short']();
        return pageOf('long', 30, begin['/late'])(props);
      };
      await serve(source, {
        '/long': (props = {}) => h(Scheduled, props, h(First, { props })),
        '/short': pageOf('short', 3, wait),
        '/late': pageOf('late', 3),
      }, (starts) => {
        Object.assign(begin, starts);
        starts['/long']();
      });
      const times = (count, name) => Array(count).fill(name);
      assert.deepEqual(log,
        [...times(3, 'short'), 'long', ...times(3, 'late'), ...times(29, 'long')]);
    });
  }
});

describe('the time of a section', () => {
  separateTests();

  it('is that of its priority, also beside sections of another one', async () => {
    const spent = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
    const names = Object.keys(spent);
    const monitor = enabledMonitor();
    await scheduler.postTask(() => render(page(6, (number) => {
      const start = performance.now();
      busy(5);
      spent[names[number % 3]] += performance.now() - start;
    }, (number) => ({ priority: names[number % 3] }))));
    const { time, labels } = monitor;
    for (const name of names) {
      assert.ok(time[name] >= spent[name], `${name}: ${time[name]} of ${spent[name]} ms`);
      const { max } = labels.find(({ label, priority }) =>
        label === 'Scheduled' && priority === name);
      assert.ok(max >= 5, `${name}: ${max}`);
    }
  });
});

describe('the time of a section, on the clock of a test,', () => {
  separateTests();
  const test = useClock();

  // Resolves when React has ended, whose immediates are real.
  async function ended(rendered) {
    let isOver = false;
    rendered.then(() => (isOver = true));
    while (!isOver) await test.flush();
    // The step of the last immediate.
    await test.flush();
  }

  it('is that of the task in which React renders at once', async () => {
    const monitor = enabledMonitor();
    await ended(scheduler.postTask(() => prerenderToNodeStream(page(4, () => test.spend(5))), {
      priority: 'background',
    }));
    assert.equal(monitor.time.background, 20);
  });

  it('is charged to the key of its task, also if the task has ended', async () => {
    const monitor = enabledMonitor();
    await ended(new Promise((resolve) => {
      const start = () => void render(page(1, () => test.spend(100))).then(resolve);
      scheduler.postTask(start, { fairnessKey: 'of a page' });
    }));
    assert.equal(monitor.keys.find(({ key }) => key === 'of a page').time, 100);
  });

  it('is reported as a task', async () => {
    const reports = collectReports({ duration: 20 });
    await ended(render(page(1, () => test.spend(25), () => ({ priority: 'background' }))));
    const found = reports.map(({ type, kind, label, priority, duration }) =>
      [type, kind, label, priority, duration]);
    assert.deepEqual(found, [['duration', 'task', 'Scheduled', 'background', 25]]);
  });
});

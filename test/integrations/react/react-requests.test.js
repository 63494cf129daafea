'use strict';

// The sections of <Scheduled> take turns as the tasks of their requests do, on the clock of a test:
// the levels of requests end at 50 and 200 ms there. React renders in immediates of its own.

const assert = require('node:assert/strict');
const { AsyncResource } = require('node:async_hooks');
const { setImmediate: turn } = require('node:timers/promises');
const { renderToPipeableStream } = require('react-dom/server');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');
const { scheduler } = require('../../..');
const { ended, makeResponse, useClock } = require('../../helpers/admission-clock.js');
const { h, page } = require('../../helpers/react.js');

const render = (element, response) => void renderToPipeableStream(element).pipe(response);

// The key says how a page gets its request. The value is the function that begins the page, which
// `pageOf(props)` returns, and whether the request is admitted.
const SOURCES = {
  'that are rendered in tasks of requests': [(pageOf, response, signal) =>
    () => scheduler.postTask(() => render(pageOf(), response), { signal })],
  'with signals of requests': [(pageOf, response, signal) =>
    () => render(pageOf({ signal }), response)],
  'of admitted requests': [(pageOf, response) =>
    AsyncResource.bind(() => render(pageOf(), response)), true],
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

    // The first section of the long page takes 250 ms. The thread works for others for 300 ms while
    // its other sections wait, which does not make up for that, whatever the page posts then.
    it(`${which}: those of short pages come before those of a long one`, async () => {
      const log = [];
      let starts;
      let postInLong;
      const pageOf = (name, count, onSection) => (props = {}) => page(count, (number) => {
        log.push(name);
        onSection?.(number);
      }, () => props);
      const First = ({ props }) => {
        test.spend(250);
        postInLong = AsyncResource.bind(() => scheduler.postTask(() => {}, props));
        starts['/short']();
        return pageOf('long', 30)(props);
      };
      // Not in a task of the short page.
      const workForOthers = AsyncResource.bind(() => scheduler.postTask(() => {
        test.spend(300);
        postInLong();
        starts['/later']();
      }, { priority: 'user-blocking' }));
      await serve(source, {
        '/long': (props = {}) => h(Scheduled, props, h(First, { props })),
        '/short': pageOf('short', 3, (number) => {
          if (number === 1) workForOthers();
        }),
        '/later': pageOf('later', 3),
      }, (each) => {
        starts = each;
        starts['/long']();
      });
      const last = [log.lastIndexOf('short'), log.lastIndexOf('later')];
      assert.ok(Math.max(...last) < 10 && log.at(-1) === 'long', log.join());
    });
  }
});

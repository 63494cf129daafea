'use strict';

// The sections of <Scheduled> take turns as the tasks of their requests do. React is real, and so
// are the server and its visitors.

const assert = require('node:assert/strict');
const { AsyncResource } = require('node:async_hooks');
const http = require('node:http');
const { renderToPipeableStream } = require('react-dom/server');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');
const { scheduler } = require('../../..');
const { ask, closeAll, listen } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');
const { h, page } = require('../../helpers/react.js');
const { busy } = require('../../helpers/tasks.js');

// A request that has taken so many ms stays in its level, also on a machine that stands still.
const LAST_LEVEL = 210;

const render = (element, response) => void renderToPipeableStream(element).pipe(response);

// The key says how a page gets its request. The value is whether the request is admitted, and the
// function that begins the page, which `pageOf(props)` returns.
const SOURCES = {
  'that are rendered in tasks of requests': [false, (pageOf, response, signal) => {
    return () => scheduler.postTask(() => render(pageOf(), response), { signal });
  }],
  'with signals of requests': [false, (pageOf, response, signal) => {
    return () => render(pageOf({ signal }), response);
  }],
  'of admitted requests': [true, (pageOf, response) => {
    return AsyncResource.bind(() => render(pageOf(), response));
  }],
};

// Serves pages by path. Each begins once so many have been asked for, and has taken a time in ms.
// `came(path)` is called when a request arrives.
async function serve([isAdmitted, begin], pages, { together = 1, time = 0, came } = {}) {
  const waiting = [];
  const answer = async (request, response) => {
    came?.(request.url);
    const { signal } = controllerFor(response);
    const start = begin(pages[request.url], response, signal);
    if (time > 0) await scheduler.postTask(() => busy(time), { signal });
    waiting.push(start);
    if (waiting.length === together) for (const each of waiting.splice(0)) each();
  };
  const handler = isAdmitted ? createAdmission().handler(answer) : answer;
  return listen(http.createServer(handler));
}

describe('the sections of <Scheduled>', () => {
  afterEach(closeAll);

  for (const [which, source] of Object.entries(SOURCES)) {
    it(`${which} of one size: those of one request come before those of the next`, async () => {
      const log = [];
      const note = (name) => {
        busy(1);
        log.push(name);
      };
      const pageOf = (name) => (props) => page(2, (number) => {
        const Inner = () => note(`${name} inner`);
        note(`${name} ${number}`);
        return h(Scheduled, props, h(Inner));
      }, () => props ?? {});
      const pages = { '/1': pageOf('first'), '/2': pageOf('second') };
      // The second request arrives behind the first one.
      let second;
      const came = (path) => path === '/1' && (second = ask(port, '/2'));
      const port = await serve(source, pages, { together: 2, time: LAST_LEVEL, came });
      await ask(port, '/1');
      await second;
      assert.deepEqual(log, ['first', 'second'].flatMap((name) => {
        return [`${name} 0`, `${name} 1`, `${name} inner`, `${name} inner`];
      }));
    }).timeout(LIMIT);

    it(`${which}: those of a short page come before those of a long one`, async () => {
      const log = [];
      let short;
      const port = await serve(source, {
        '/long': (props) => page(80, (number) => {
          busy(5);
          log.push('long');
          // The page has taken 250 ms.
          if (number === 50) short = ask(port, '/short');
        }, () => props ?? {}),
        '/short': (props) => page(3, () => void log.push('short'), () => props ?? {}),
      });
      await ask(port, '/long');
      await short;
      const last = log.lastIndexOf('short');
      assert.equal(log.filter((each) => each === 'short').length, 3);
      assert.ok(log.indexOf('long', last) > last, log.join(' '));
    }).timeout(LIMIT);
  }
});

'use strict';

// An admission and pages of React in sections: they end one after the other, and keep no request
// waiting until then.
// @lane long

const assert = require('node:assert/strict');
const { renderToPipeableStream } = require('react-dom/server');
const { closeAll, start } = require('../../helpers/admission.js');
const { page, sections } = require('../../helpers/react.js');
const { busy } = require('../../helpers/tasks.js');

afterEach(closeAll);

describe('React pages in sections', () => {
  // Answers with a page of so many sections, which take a time in ms each.
  function sendPage(count, time, response) {
    const element = page(count, (number) => {
      busy(time);
      return number;
    });
    const { pipe } = renderToPipeableStream(element, { onShellReady: () => pipe(response) });
  }

  it('end one after the other, while others wait', async () => {
    let begun = 0;
    let atFirstEnd;
    const { ask } = await start((_, response) => {
      begun++;
      response.on('finish', () => (atFirstEnd ??= begun));
      // On a slow machine a page of more thread time is no short one, and ends behind all others.
      sendPage(40, 0.1, response);
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/user-visible')));
    for (const { status, text } of answers) {
      assert.deepEqual([status, sections(text).length], [200, 40]);
    }
    // If all shared the thread, it would be twenty.
    assert.ok(atFirstEnd < 10, `${atFirstEnd} had begun when the first one ended`);
  });

  it('keep no request waiting until they end', async () => {
    const COUNT = 2000;
    let isDone = false;
    const { ask } = await start((request, response) => {
      if (request.url !== '/user-visible/long') return response.end('done');
      response.on('finish', () => (isDone = true));
      return sendPage(COUNT, 0.5, response);
    });
    const long = ask('/user-visible/long');
    for (let i = 0; i < 3; i++) assert.equal((await ask('/user-visible')).text, 'done');
    assert.equal(isDone, false);
    assert.equal(sections((await long).text).length, COUNT);
  });
});

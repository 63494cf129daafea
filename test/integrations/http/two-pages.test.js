'use strict';

// While one page is rendered, when another request begins and ends: the table of docs/reference.md,
// on the clock of a test.

const assert = require('node:assert/strict');
const { scheduler } = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { makeResponse, useClock } = require('../../helpers/admission-clock.js');

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
      const log = [];
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

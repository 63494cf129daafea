/* global window -- in functions that run in the browser */
'use strict';

// The entry for browsers in Chromium: as the package has it, without a bundler, under a policy that
// forbids WebAssembly.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { launch, serveTexts } = require('../helpers/chromium.js');
const { LIMIT, ROOT } = require('../helpers/programs.js');
const { CODE } = require('../helpers/refusals.js');

const read = (...names) => fs.readFileSync(path.join(ROOT, ...names), 'utf8');

const TEXTS = {
  '/page.html':
    '<!DOCTYPE html><html lang="en"><body><button>Click</button><ol></ol></body></html>',
  '/uv-scheduler.js': read('dist', 'browser.mjs'),
  '/programs.js': read('test', 'ecosystem', 'browser', 'programs.mjs'),
  '/polyfill.js': read('node_modules', 'scheduler-polyfill', 'dist', 'scheduler-polyfill.js'),
  // A worker has no idle callbacks.
  '/worker.js': `
    import { onIdle, pieces, requestIdleCallback, scheduler, wait } from '/uv-scheduler.js';
    let sum = 0;
    for await (const item of pieces([1, 2, 3])) sum += item;
    await wait(1);
    await onIdle();
    try {
      requestIdleCallback(() => {});
    } catch ({ code }) {
      postMessage([sum, scheduler === globalThis.scheduler, code]);
    }`,
};

const CLICKS = 5;

describe('in Chromium', () => {
  let browser;
  let server;
  let origin;
  let page;
  let errors;

  before(async () => {
    browser = await launch();
    ({ server, origin } = await serveTexts(TEXTS));
  }).timeout(LIMIT);

  after(async () => {
    await browser?.close();
    server?.close();
  });

  beforeEach(async () => {
    page = await browser.newPage();
    errors = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(`${origin}/page.html`);
  });

  afterEach(async () => {
    await page.close();
    assert.deepEqual(errors, []);
  });

  // Runs one of the programs and returns its result.
  const run = (...args) => page.evaluate(async ([name, ...rest]) => {
    const programs = await import('/programs.js');
    return programs[name](...rest);
  }, args);

  it("the page's own tasks run by priority, wait() inherits, and onIdle() is last", async () => {
    const expected = ['ub', 'uv', 'bg', 'waited', 'visible', 'background', 'last', 'idle'];
    assert.deepEqual(await run('order'), expected);
    assert.deepEqual(await run('identity'), [true, false]);
  });

  it('a worker has the same', async () => {
    assert.deepEqual(await run('inWorker'), [6, true, CODE]);
  });

  it('a page answers clicks while it shows a list through pieces()', async () => {
    const button = await page.locator('button').boundingBox();
    await run('begin', CLICKS);
    for (let click = 0; click < CLICKS; click++) await page.mouse.click(button.x + 5, button.y + 5);
    // The list ends when all clicks were answered, which no item alone can wait for.
    assert.ok(await page.evaluate(() => window.shown) > 0);
  }).timeout(LIMIT);

  for (const what of ['a scheduler', 'scheduler.yield()']) {
    it(`loading throws without ${what}, and names the polyfill, which works`, async () => {
      // The end of loading in a page that lacks all of the API or one method.
      const load = (isPolyfilled) => page.evaluate(async ([missing, isFirst]) => {
        const names = ['Scheduler', 'TaskController', 'TaskSignal', 'TaskPriorityChangeEvent'];
        if (missing === 'scheduler.yield()') delete window.Scheduler.prototype.yield;
        else for (const name of ['scheduler', ...names]) delete window[name];
        if (isFirst) await import('/polyfill.js');
        try {
          const { pieces, scheduler, wait } = await import('/uv-scheduler.js');
          let sum = 0;
          for await (const item of pieces([1, 2, 3])) sum += item;
          await wait(1);
          return [sum, scheduler === window.scheduler];
        } catch (error) {
          return [error.code, error.message];
        }
      }, [what, isPolyfilled]);
      const [code, message] = await load(false);
      assert.equal(code, CODE);
      assert.match(message, /^uv-scheduler cannot run in this page: .*'scheduler-polyfill'/);
      await page.reload();
      assert.deepEqual(await load(true), [6, true]);
    });
  }
});

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

const PROGRAMS = path.join(__dirname, 'browser');
const POLYFILL = path.join(ROOT, 'node_modules', 'scheduler-polyfill', 'dist');

const FILES = {
  '/uv-scheduler.js': path.join(ROOT, 'dist', 'browser.mjs'),
  '/list.js': path.join(PROGRAMS, 'list.mjs'),
  '/programs.js': path.join(PROGRAMS, 'programs.mjs'),
  '/worker.js': path.join(PROGRAMS, 'worker.mjs'),
  '/polyfill.js': path.join(POLYFILL, 'scheduler-polyfill.js'),
};

const PAGE = '<!DOCTYPE html><html lang="en"><body><button>Click</button><ol></ol></body></html>';

const ITEMS = 600;
const CLICKS = 5;

// Slices of 5 ms of work have these bounds on a slow machine: clocks of pages are coarse.
const LEAST_SLICES = 10;
const MOST_SLICES = 60;

describe('in Chromium', () => {
  let browser;
  let server;
  let origin;
  let page;
  let errors;

  before(async () => {
    browser = await launch();
    const texts = { '/page.html': PAGE };
    for (const [url, file] of Object.entries(FILES)) texts[url] = fs.readFileSync(file, 'utf8');
    ({ server, origin } = await serveTexts(texts));
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
  const run = (name) => page.evaluate(async (program) => {
    const programs = await import('/programs.js');
    return programs[program]();
  }, name);

  it('the scheduler and the interfaces are those of the page, which stay as they are', async () => {
    assert.deepEqual(await run('identity'), {
      isOwn: true,
      isPatched: false,
      drain: `${CODE} Failed to execute 'drain': it runs in Node, Bun and Deno only.`,
    });
  });

  it('tasks run by priority, and wait() inherits it', async () => {
    assert.deepEqual(await run('order'), ['ub', 'uv', 'bg', 'waited', 'visible', 'background']);
  });

  it('an abort ends pieces() and wait(), and closes the source', async () => {
    const expected = (reason) => ({ reason, isClosed: true, isEarly: true });
    const ways = ['inherited', 'given', 'of a TaskController'];
    const all = Object.fromEntries(ways.map((way) => [way, expected(way)]));
    assert.deepEqual(await run('aborts'), { ...all, wait: 'waited enough' });
  });

  it('shouldYield() counts the time of a task, whatever its priority', async () => {
    for (const [what, count] of Object.entries(await run('slices'))) {
      // Each of ten functions that share a task yields.
      const most = what.endsWith(' 10') ? 10 * MOST_SLICES : MOST_SLICES;
      assert.ok(count >= LEAST_SLICES && count <= most, `${what}: ${count}`);
    }
  }).timeout(LIMIT);

  it('onIdle() comes behind the tasks that are queued', async () => {
    assert.deepEqual(await run('idle'), ['visible', 'background']);
  });

  it('a worker has the same', async () => {
    assert.deepEqual(await run('inWorker'), { sum: 6, isOwn: true, code: CODE });
  });

  // Clicks while a list is rendered, and returns when each click was handled.
  async function clickDuring(render) {
    await page.evaluate(`(async () => {
      const { pieces } = await import('/uv-scheduler.js');
      const { show, showAtOnce } = await import('/list.js');
      const items = Array.from({ length: ${ITEMS} }, (_, item) => item);
      window.begin = () => setTimeout(() => (window.shown = ${render}), 0);
    })()`);
    const button = await page.locator('button').boundingBox();
    await page.evaluate(() => window.begin());
    for (let click = 0; click < CLICKS; click++) {
      await page.mouse.click(button.x + 5, button.y + 5);
    }
    const { clicks, duration, rows } = await page.evaluate(() => window.shown);
    assert.equal(rows, ITEMS);
    assert.equal(clicks.length, CLICKS);
    return {
      duration,
      late: clicks.filter(({ isLate }) => isLate).length,
      longest: Math.max(...clicks.map(({ latency }) => latency)),
    };
  }

  it('a page answers clicks while it shows a list, but only through pieces()', async () => {
    const inPieces = await clickDuring('show(pieces(items))');
    const text = JSON.stringify(inPieces);
    assert.equal(inPieces.late, 0, text);
    assert.ok(inPieces.longest < inPieces.duration / 5, text);
    await page.reload();
    const atOnce = await clickDuring('showAtOnce(items)');
    assert.ok(atOnce.late > 0, JSON.stringify(atOnce));
    assert.ok(atOnce.longest > inPieces.duration / 2, JSON.stringify(atOnce));
  }).timeout(LIMIT);

  describe('without a scheduler of the page', () => {
    // How loading ends in a page that lacks all of it or one method, with the polyfill or without.
    const load = (what, withPolyfill) => page.evaluate(async ([missing, isFirst]) => {
      if (missing === 'scheduler.yield()') {
        delete window.Scheduler.prototype.yield;
      } else {
        const interfaces = ['Scheduler', 'TaskController', 'TaskSignal', 'TaskPriorityChangeEvent'];
        for (const name of ['scheduler', ...interfaces]) delete window[name];
      }
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
    }, [what, withPolyfill]);

    for (const what of ['a scheduler', 'scheduler.yield()']) {
      it(`loading throws without ${what}, and names the polyfill, which works`, async () => {
        const [code, message] = await load(what, false);
        assert.equal(code, CODE);
        assert.match(message, /^uv-scheduler cannot run in this page: .*'scheduler-polyfill'/);
        await page.reload();
        assert.deepEqual(await load(what, true), [6, true]);
      });
    }
  });
});

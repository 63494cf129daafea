/* global document -- in functions that run in the browser */
'use strict';

// The page /scheduler of the site of `npm start`, in Chromium.

const assert = require('node:assert/strict');
const os = require('node:os');
const path = require('node:path');
const { launch } = require('../helpers/chromium.js');
const { ExampleServer } = require('../helpers/example-servers.js');
const { FIXTURES, LIMIT } = require('../helpers/programs.js');

// A request that was admitted, or a part of a page or of the index.
const LABEL = /^(request$|(index |start of )?\/)/;
const TIME = /^[\d.]+ (µs|ms|s)$/;
const READ = 20;

const NARROW = { viewport: { width: 360, height: 700 } };

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const serve = (...args) => ExampleServer.start('docs-site', { args });

// Reads some documents: which ones there are depends on what is installed.
async function readDocuments(server) {
  const { body } = await server.ask('/');
  const paths = Array.from(body.matchAll(/href="(\/docs\/[^"#]+)"/g), ([, path]) => path);
  for (const path of paths.slice(0, READ)) assert.equal((await server.ask(path)).status, 200, path);
}

describe('the page /scheduler', () => {
  let browser;
  let server;
  const complaints = [];

  before(async () => {
    browser = await launch();
    server = await serve('main.js', '--serve', '--busy');
  }).timeout(LIMIT);

  after(async () => {
    await browser?.close();
    await server?.kill();
  });

  async function open(options, { url } = server) {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(LIMIT / 2);
    // A lost connection is reported here as well, and a test causes one.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('ERR_')) {
        complaints.push(message.text());
      }
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${url}/scheduler`);
    await page.waitForSelector('[data-state=live]');
    return page;
  }

  // A test with a page, of a site of its own if a program of fixtures/ is loaded before that.
  function test(title, body, { fixture, ...options } = {}) {
    it(title, async () => {
      const own = fixture
        && await serve('--require', path.join(FIXTURES, fixture), 'main.js', '--serve');
      try {
        const page = await open(options, own);
        await body(page);
        const { width } = page.viewportSize();
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        await page.close();
      } finally {
        await own?.kill();
      }
    }).timeout(2 * LIMIT);
  }

  const placeOf = (priority, name) => `[data-priority=${priority}] [data-field=${name}]`;
  const read = (page, priority, name) => page.locator(placeOf(priority, name)).textContent();
  const untilCompleted = (page, priority) => page.waitForFunction((place) => {
    return Number(document.querySelector(place).textContent.replace(/\D/g, '')) > 0;
  }, placeOf(priority, 'completed'));

  test('names its process, and shows tasks of each priority and the slowest ones', async (page) => {
    await page.waitForFunction(() => document.querySelector('#process').textContent !== '');
    const text = await page.locator('#process').textContent();
    assert.match(text, /^\S+, process \d+, up for \d+ (s|min), Node v\d+\.\d+\.\d+$/);
    assert.ok(text.startsWith(`${os.hostname()}, `) && text.endsWith(process.version), text);

    await untilCompleted(page, 'background');
    assert.equal(await read(page, 'user-visible', 'completed'), '0');
    assert.equal(await read(page, 'user-visible', 'wait'), '–');

    await readDocuments(server);
    for (const priority of PRIORITIES) {
      await untilCompleted(page, priority);
      for (const name of ['wait', 'duration']) {
        assert.match(await read(page, priority, name), /^half ≤ .*, 99 % ≤ /);
      }
      const bars = page.locator(`[data-priority=${priority}] .histogram i`);
      assert.equal(await bars.count(), 2 * 18);
    }
    for (const [table, most] of [['#longest', 10], ['#labels', 12]]) {
      const labels = await page.locator(`${table} td:first-child`).allTextContents();
      assert.ok(labels.length > 0 && labels.length <= most, `${labels.length}`);
      assert.ok(labels.every((label) => LABEL.test(label)), labels.join());
    }
  });

  test('shows what the admission has made of requests, their keys and levels', async (page) => {
    await readDocuments(server);
    await page.waitForFunction((least) => {
      const cell = document.querySelector('#requests [data-priority=user-visible] td:nth-child(2)');
      return cell !== null && Number(cell.textContent.replace(/\D/g, '')) >= least;
    }, READ);
    const requests = await page.locator('#requests tbody tr td').allTextContents();
    assert.deepEqual([requests[0], ...requests.slice(2, 5)], ['user-visible', '0', '0', '0']);
    assert.match(requests[5], TIME);
    await page.waitForSelector('#keys tbody tr');
    for (const table of ['#requests', '#keys']) assert.ok(await page.locator(table).isVisible());
    for (const priority of PRIORITIES) {
      const ends = await page.locator(`#keys [data-priority=${priority}] dd`).textContent();
      assert.match(ends, /^[\d.]+ (ms|s)(, [\d.]+ (ms|s))*$/, priority);
    }
  });

  test('says where the time goes: to background work, while nobody visits a page', async (page) => {
    await page.waitForFunction(() => {
      const [share] = document.querySelectorAll('[data-state=background] b');
      return parseFloat(share.textContent) > 50;
    });
    const shares = await page.locator('#legend b').allTextContents();
    const sum = shares.reduce((all, share) => all + parseFloat(share), 0);
    assert.ok(Math.abs(sum - 100) <= 3, shares.join());
    assert.match(await page.locator('#history path').nth(2).getAttribute('d'), /^(M[\d.]+,.*Z)+$/);
  });

  test('says for what work was held, and shows slow callbacks, and behind whom', async (page) => {
    await page.waitForFunction(() => {
      const share = parseFloat(document.querySelector('[data-reason=container] b').textContent);
      return share >= 20 && share <= 30;
    });
    // Nothing was held for others.
    const isShown = (reason) => page.locator(`[data-reason=${reason}]`).isVisible();
    assert.deepEqual([await isShown('container'), await isShown('machine')], [true, false]);
    const rowOf = (label) =>
      page.locator('#reports tbody tr').filter({ hasText: new RegExp(`^${label}`) }).first();
    const textOf = (label, column) => rowOf(label).locator('td').nth(column).textContent();
    assert.match(await textOf('a slow task', 3), /^ran [\d.]+ s$/);
    assert.match(await textOf('a late task', 4), /^a slow task, \d+ %$/);
  }, { fixture: 'slow-site.js', ...NARROW });

  test('closes its connection while it is hidden', async (page) => {
    const hide = (isHidden) => page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
    const request = page.waitForEvent('requestfailed', (each) => each.url().endsWith('/events'));
    await hide(true);
    await request;
    const again = page.waitForRequest((each) => each.url().endsWith('/events'));
    await hide(false);
    await again;
  });

  test('says that the server is gone, and shows the figures of the next one', async (page) => {
    await untilCompleted(page, 'background');
    await server.kill();
    await page.waitForSelector('[data-state=lost]');
    // This one builds no index again and again.
    const { port } = new URL(server.url);
    server = await serve('main.js', '--serve', '--port', port);
    await page.waitForSelector('[data-state=live]');
    await readDocuments(server);
    await untilCompleted(page, 'user-visible');
    await page.waitForFunction(() => {
      const paths = document.querySelectorAll('#history path');
      return Array.from(paths).every((path) => !path.getAttribute('d').includes('-'));
    });
  });

  it('loads and runs without a complaint of the browser', () => assert.deepEqual(complaints, []));
});

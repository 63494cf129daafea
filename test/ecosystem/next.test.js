/* global document -- in functions that run in the browser */
'use strict';

// Applications of Next.js, built with each of its bundlers, with the package taken in or left
// outside, with `cacheComponents` or without. Each is started as it stands, or as the standalone
// server that `next build` makes. examples-next.test.js has clients that behave badly.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { LIMIT, ROOT } = require('../helpers/loop.js');
const { EXTERNAL } = require('../../lib/loading/load-errors.js');
const { textOf } = require('../helpers/chromium.js');
const { CODE, refusal } = require('../helpers/refusals.js');
const { build, makeApp, serve } = require('./bundlers/next.js');
const { BINARY, BINDING, PLATFORM } = require('../helpers/packed.js');

// Sections of server components, and of client components.
const KINDS = ['server', 'client'];

// How many visitors leave at once.
const LEAVERS = 50;

// Next.js decides in which callback a route runs, so a timer can be due before the check phase.
const ORDER = /^ub (uv t0|t0 uv) bg t1 ub t2$/;
const LINE = EXTERNAL['Next.js'];
const SLOW = 8 * LIMIT;

// The notes of server.mjs on a page: one section in each callback.
const names = (page, count) =>
  Array.from({ length: count }, (_, number) => [`${page} ${number}`]);

const paragraphs = (html) => Array.from(html.matchAll(/<p>(.*?)<\/p>/g), ([, text]) => text);

const texts = (page, count) => names(page, count).flat();

// Asserts that a route handler and a page answer with the order.
const assertAnswers = (cwd, script) => serve(cwd, script, async (get) => {
  assert.match(await get('/order'), ORDER);
  const page = await get('/');
  assert.match(page, /^<!DOCTYPE html>/);
  assert.match(paragraphs(page).join(), ORDER);
});

// A crawler's page is background work: when a visitor comes, all sections of that one's page are
// rendered, and then the rest of the crawler's.
function assertOvertaken(log) {
  const order = log.flat();
  const visitor = texts('visitor', 20);
  const first = order.indexOf(visitor[0]);
  assert.deepEqual(order.slice(first, first + 20), visitor, order.join(', '));
  const crawler = order.filter((name) => name.startsWith('crawler'));
  assert.deepEqual(crawler, texts('crawler', 20));
  assert.equal(order[0], 'crawler 0');
  assert.equal(order.at(-1), 'crawler 19');
  assert.ok(log.every((callback) => callback.length === 1), JSON.stringify(log));
}

// Asserts what <Scheduled> does for server components and for client components, in the server of
// the application, which has each request handled in a task.
const assertSections = (app) => serve(app, 'server.mjs', async (get) => {
  const log = async (query = '') => JSON.parse(await get(`/log${query}`));
  const sections = [...texts('server', 20), ...texts('client', 20)];
  assert.deepEqual(paragraphs(await get('/static')), sections);
  assert.deepEqual(await log(), [], 'the page was prerendered');
  for (const kind of KINDS) {
    const page = async (name) => paragraphs(await get(`/sections?kind=${kind}&page=${name}`));
    assert.deepEqual(await page(kind), texts(kind, 20));
    assert.deepEqual(await log(), names(kind, 20));
    assert.deepEqual(await page('crawler'), texts('crawler', 20));
    assertOvertaken(await log());
    const left = await log(`?leave=${kind}&times=1`);
    assert.deepEqual(left, names('leaver0', 3), `nobody waits for ${kind}`);
    const leavers = Array.from({ length: LEAVERS }, (_, number) => names(`leaver${number}`, 3));
    const all = await log(`?leave=${kind}&times=${LEAVERS}`);
    assert.deepEqual(all.sort(), leavers.flat().sort(), `nobody waits for any ${kind}`);
  }
});

// Asserts that the static shells of `next build` have all sections, and what was made in pieces.
function assertShells(output) {
  const read = (name) => fs.readFileSync(path.join(output, 'server', 'app', name), 'utf8');
  const sections = [...texts('server', 20), ...texts('client', 20)];
  assert.deepEqual(paragraphs(read('static.html')), sections);
  assert.deepEqual(paragraphs(read('cached.html')), ['summarised']);
}

describe('an application of Next.js built by', () => {
  let root;
  let app;
  let count = 0;

  before(function () {
    this.timeout(SLOW);
    // The paths in the output of a bundler are without symbolic links.
    root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-next-')));
    app = path.join(root, 'app');
    makeApp(app);
  });

  // The folder has many files.
  after(() => fs.rmSync(root, { recursive: true, force: true })).timeout(SLOW);

  // Copies the standalone server out of the application.
  function copyStandalone(output) {
    const copy = path.join(root, `copy-${++count}`);
    fs.cpSync(path.join(output, 'standalone'), copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }

  // Asserts that a copy of the standalone server has what it needs.
  async function assertStandalone(output) {
    const copy = copyStandalone(output);
    assert.ok(fs.existsSync(path.join(copy, 'node_modules', BINDING, BINARY)));
    await assertAnswers(copy, 'server.js');
    await serve(copy, 'server.js', async (get) => {
      for (const kind of KINDS) {
        const page = await get(`/sections?kind=${kind}&page=a`);
        assert.deepEqual(paragraphs(page), texts('a', 20));
      }
    });
  }

  // Asserts that uv-scheduler/report names the route of a copy of the standalone server that blocks
  // the thread. Its functions have no names there.
  async function assertReported(output) {
    const file = path.join(root, 'report.${tid}-${pid}.json');
    const variables = {
      NODE_OPTIONS: `--import ${pathToFileURL(path.join(ROOT, 'dist', 'report.js'))}`,
      UV_SCHEDULER_REPORT_FILE: file,
    };
    await serve(copyStandalone(output), 'server.js', async (get) => {
      assert.equal(await get('/planted?ms=1000'), 'true');
    }, variables);
    const name = fs.readdirSync(root).find((each) => each.startsWith('report.0-'));
    const { places: [first] } = JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'));
    assert.deepEqual([first.kind, first.isStartUp], ['code', false], JSON.stringify(first));
    assert.match(first.file, /[/\\]server[/\\]/);
    assert.ok(first.longest > 900, JSON.stringify(first));
  }

  // Asserts that a component of servers and browsers has the scheduler of each.
  async function assertShared() {
    await serve(app, undefined, async (get, origin) => {
      assert.deepEqual(paragraphs(await get('/shared')), ['server function']);
      const isComplete = () => document.body.innerText.startsWith('page');
      assert.equal(await textOf(`${origin}/shared`, isComplete), 'page 6 browser');
      // <Scheduled> is a <Suspense> there.
      assert.deepEqual(paragraphs(await get('/edge')), ['edge']);
    });
  }

  it('turbopack runs without configuration, in a copy of its standalone server, too', async () => {
    const output = await build(app, { bundler: 'turbopack', cacheComponents: true });
    assertShells(output);
    await assertAnswers(app);
    await assertSections(app);
    await assertStandalone(output);
    await assertReported(output);
  }).timeout(SLOW);

  it("turbopack shares a component, for pages with the browser's scheduler", async () => {
    await build(app, { bundler: 'turbopack', edge: 'page.jsx' });
    await assertShared();
  }).timeout(SLOW);

  it('webpack does both without configuration, and refuses a copy of its server', async () => {
    const output = await build(app, { bundler: 'webpack', edge: 'page.jsx' });
    await assertAnswers(app);
    await assertShared();
    // The standalone server needs the line: it lacks the binary without.
    const said = await serve(copyStandalone(output), 'server.js', (get) => get('/order', 500));
    assert.ok(said.includes(refusal(`its binary for ${PLATFORM} was not found.`)), said);
    assert.ok(said.includes(LINE), said);
  }).timeout(SLOW);

  it(`webpack runs with the package outside, in a copy, too: ${LINE}`, async () => {
    const output = await build(app, { bundler: 'webpack', line: LINE, cacheComponents: true });
    assertShells(output);
    await assertSections(app);
    await assertStandalone(output);
  }).timeout(SLOW);

  for (const bundler of ['turbopack', 'webpack']) {
    it(`${bundler} refuses a route on the edge runtime, and says what to do`, async () => {
      await assert.rejects(build(app, { bundler, edge: 'route.jsx' }), ({ message }) => {
        for (const text of ['on an edge runtime', "`runtime` of the route is 'nodejs'", CODE]) {
          assert.ok(message.includes(text), message);
        }
        return true;
      });
    }).timeout(SLOW);
  }
});

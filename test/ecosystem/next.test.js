/* global document -- in functions that run in the browser */
'use strict';

// Applications of Next.js, built with each of its bundlers, with the package taken in or left
// outside, with `cacheComponents` or without. Each is started as it stands, or as the standalone
// server that `next build` makes. examples-next.test.js has clients that behave badly.
// @lane long
// @host newest

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { freePort } = require('../../examples/fleet/redis.js');
const { ExampleServer } = require('../helpers/example-servers.js');
const { LIMIT, run } = require('../helpers/programs.js');
const { EXTERNAL } = require('../../lib/loading/load-errors.js');
const { textOf } = require('../helpers/chromium.js');
const { CODE, warning } = require('../helpers/refusals.js');
const { BINARY, BINDING, install } = require('../helpers/packed.js');

// Sections of server components, and of client components.
const KINDS = ['server', 'client'];

// How many visitors leave at once.
const LEAVERS = 50;

// Next.js decides in which callback a route runs, so a timer can be due before the check phase.
const ORDER = /^ub (uv t0|t0 uv) bg$/;
const LINE = EXTERNAL['Next.js'];
const SLOW = 8 * LIMIT;

const MODULES = path.join(__dirname, 'bundlers', 'node_modules');
const BIN = path.join('node_modules', 'next', 'dist', 'bin', 'next');
// Next.js behaves differently if the last two are set.
const ENV = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined, CI: undefined };

// Adds the names of a package, its dependencies and theirs, as npm has installed them: all in one
// folder. Packages for other platforms are not there.
function addDependencies(name, found) {
  const manifest = path.join(MODULES, name, 'package.json');
  if (found.has(name) || !fs.existsSync(manifest)) return;
  found.add(name);
  const { dependencies, optionalDependencies } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) {
    addDependencies(next, found);
  }
}

// Builds the application with turbopack or webpack and the line in its configuration, into a folder
// that the result names, and that has a standalone server in it. Only with `cacheComponents` it may
// have the page `/cached`, and only without what `edge` names of its folder `edge`.
async function build(folder, { bundler, line = '', cacheComponents = false, edge }) {
  const distDir = `.next-${bundler}${line === '' ? '' : '-external'}`;
  const own = { output: 'standalone', distDir, cacheComponents };
  const config = `export default { ...${JSON.stringify(own)}, ${line} };\n`;
  fs.writeFileSync(path.join(folder, 'next.config.mjs'), config);
  const cached = path.join(folder, 'app', 'cached');
  if (!cacheComponents) fs.rmSync(cached, { recursive: true, force: true });
  else fs.cpSync(path.join(folder, 'cached.jsx'), path.join(cached, 'page.jsx'));
  const onEdge = path.join(folder, 'app', 'edge');
  fs.rmSync(onEdge, { recursive: true, force: true });
  if (edge) fs.cpSync(path.join(folder, 'edge', edge), path.join(onEdge, edge));
  const node = { path: process.execPath };
  const options = { cwd: folder, env: { ...process.env, ...ENV }, timeout: SLOW };
  const { code, stdout, stderr } = await run(node, [BIN, 'build', `--${bundler}`], options);
  const said = stdout + stderr;
  if (code !== 0 || /with warnings|Module not found/.test(said)) throw new Error(said);
  return path.join(folder, distDir);
}

// Starts a server, and calls `work` with a function that resolves to the body for a path, whose
// status must be 200 or the one that is given, and with the server. Without a script, this is `next
// start`. Resolves to what the server has printed.
async function serve(cwd, script, work) {
  const port = String(await freePort());
  const server = await ExampleServer.start('next', {
    cwd, args: script === undefined ? [BIN, 'start', '--port', port] : [script],
    env: { ...ENV, PORT: port, HOSTNAME: '127.0.0.1' },
    address: new RegExp(`http://[\\w.]+:${port}[^]*Ready|http://[\\w.]+:${port} is ready`),
  });
  server.url = `http://127.0.0.1:${port}`;
  const get = async (name, wanted = 200) => {
    const { status, body } = await server.ask(name);
    assert.equal(status, wanted, name);
    return body;
  };
  try {
    await work(get, server);
  } catch (cause) {
    throw new Error(`the server has said: ${server.output}`, { cause });
  } finally {
    await server.kill();
  }
  return server.output;
}

// The notes of server.mjs on a page: one section in each callback.
const names = (page, count) => Array.from({ length: count }, (_, number) => [`${page} ${number}`]);

const paragraphs = (html) => Array.from(html.matchAll(/<p>(.*?)<\/p>/g), ([, text]) => text);

const texts = (page, count) => names(page, count).flat();

// Asserts that a route handler and a page answer with the order, and pages with all sections.
const assertAnswers = (cwd, script) => serve(cwd, script, async (get) => {
  assert.match(await get('/order'), ORDER);
  const page = await get('/');
  assert.match(page, /^<!DOCTYPE html>/);
  assert.match(paragraphs(page).join(), ORDER);
  for (const kind of KINDS) {
    assert.deepEqual(paragraphs(await get(`/sections?kind=${kind}&page=a`)), texts('a', 20));
  }
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
    const leavers = Array.from({ length: LEAVERS }, (_, number) => names(`leaver${number}`, 3));
    const all = await log(`?leave=${kind}&times=${LEAVERS}`);
    assert.deepEqual(all.sort(), leavers.flat().sort(), `nobody waits for any ${kind}`);
  }
});

// Asserts that no request fails while the server goes on for the delay of shutDown().
const assertGoesOn = (app) => serve(app, 'server.mjs', async (get, server) => {
  void server.terminate();
  await server.says(/^It ends\.$/m);
  for (let i = 0; i < 20; i++) await get('/order');
  assert.deepEqual(await server.terminate(), { code: 0, signal: null });
});

// Asserts that the static shell of `next build` has what was made in pieces.
function assertShell(output) {
  const shell = fs.readFileSync(path.join(output, 'server', 'app', 'cached.html'), 'utf8');
  assert.deepEqual(paragraphs(shell), ['summarised']);
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
    fs.cpSync(path.join(__dirname, 'bundlers', 'next-app'), app, { recursive: true });
    fs.writeFileSync(path.join(app, 'package.json'), '{ "private": true }\n');
    install(app);
    const found = new Set();
    for (const name of ['next', 'react', 'react-dom']) addDependencies(name, found);
    // Next.js follows no symbolic link out of the application.
    for (const name of found) {
      const [from, to] = [MODULES, path.join(app, 'node_modules')].map((at) => path.join(at, name));
      fs.cpSync(from, to, { recursive: true });
    }
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
  }

  // Asserts that a component of servers and browsers has the scheduler of each.
  async function assertShared() {
    await serve(app, undefined, async (get, { url }) => {
      assert.deepEqual(paragraphs(await get('/shared')), ['server function']);
      const isComplete = () => document.body.innerText.startsWith('page');
      assert.equal(await textOf(`${url}/shared`, isComplete), 'page 6 browser');
      // <Scheduled> is a <Suspense> there.
      assert.deepEqual(paragraphs(await get('/edge')), ['edge']);
    });
  }

  it('turbopack runs without configuration, in a copy of its standalone server, too', async () => {
    const output = await build(app, { bundler: 'turbopack', cacheComponents: true });
    assertShell(output);
    await assertAnswers(app);
    await assertSections(app);
    await assertGoesOn(app);
    await assertStandalone(output);
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
    const said = await serve(copyStandalone(output), 'server.js', (get) => get('/order'));
    assert.ok(said.includes(warning('it was not found.', BINARY)), said);
    assert.ok(said.includes(LINE), said);
  }).timeout(SLOW);

  it(`webpack runs with the package outside, in a copy, too: ${LINE}`, async () => {
    const output = await build(app, { bundler: 'webpack', line: LINE, cacheComponents: true });
    assertShell(output);
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

'use strict';

// The example shop under load: visitors leave, pages take too long, and SIGTERM comes. And the
// page docs/production.md, which shows lines of the shop.
// @lane slow
// @host newest

const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { assertShows } = require('../helpers/docs.js');
const { ExampleServer, folderOf } = require('../helpers/example-servers.js');
const { SLOW, testClasses, testHostileClients, useServer } =
  require('../helpers/example-tests.js');
const { endNodes } = require('../helpers/loop.js');

const DOCUMENT = 'docs/production.md';
// Long pages: each takes some tenths of a second. Six of them together take longer than the shop's
// own time limits if the machine is slow.
const LONG = { PRODUCTS: '5000', ON_LIST: '5000', TIME_LIMIT: '60000', END_TIMEOUT: '60000' };
const PAGES = ['/', '/product/7', '/search?q=oa', '/cart', '/health', 'POST /checkout'];
const END = /<footer>The end<\/footer>.*<\/html>/s;
const PLAIN = ['--import', './plain/register.js', 'server.js'];
const CRAWLER = { headers: { 'user-agent': 'a bot' } };
const TROUBLE = /unhandled|uncaught|error/i;

const range = (length, toItem) => Array.from({ length }, (_, i) => toItem(i));

// The value of a metric, by its name and labels.
async function metricOf(server, name) {
  const { body } = await server.ask('/metrics');
  const line = body.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

async function untilIdle(server) {
  const name = 'uv_scheduler_requests_running{priority="user-visible"}';
  while (await metricOf(server, name) !== 0);
}

// Leaves when the page begins to arrive.
async function comeAndLeave(server) {
  const visit = server.visit('/');
  await visit.begun;
  visit.leave();
}

for (const node of endNodes) {
  describe(`on Node ${node.version}, the example shop`, () => {
    const current = useServer('shop', () => ({ node: node.path, env: LONG }));
    const startWith = (options) => ExampleServer.start('shop', { node: node.path, ...options });

    if (node === endNodes.at(-1)) testHostileClients(current, { pages: PAGES, end: END });

    it('sells', async () => {
      const { server } = current;
      assert.match((await server.ask('/product/7')).body, /<h1>\w+ clock 7<\/h1>/);
      assert.equal((await server.ask('/product/none')).status, 404);
      assert.match((await server.ask('/search?q=oa')).body, /<h3>/);
      assert.equal((await server.ask('/cart', { method: 'POST' })).status, 404);
      const first = await server.ask('/checkout', { method: 'POST' });
      assert.deepEqual(first, { status: 201, body: '{"order":1}' });
      assert.match((await server.ask('/cart')).body, /<p>0 €<\/p>/);
    }).timeout(SLOW);

    testClasses(current, '/', { hasCrawlers: false });

    it('sends the page in parts to visitors who take it compressed', async () => {
      const headers = { 'accept-encoding': 'gzip' };
      const response = await new Promise((resolve) => {
        http.get(current.server.url, { headers }, resolve);
      });
      assert.equal(response.headers['content-encoding'], 'gzip');
      let parts = 0;
      for await (const part of response) parts += Math.sign(part.length);
      assert.ok(parts > 5, `${parts} parts`);
    }).timeout(SLOW);

    it('sends crawlers what the plain shop does, and that with the scheduler off', async () => {
      const { status, body } = await current.server.ask('/', CRAWLER);
      assert.equal(status, 200);
      assert.match(body, END);
      assert.doesNotMatch(body, /hidden/);
      for (const [args, off] of [[PLAIN], [undefined, { UV_SCHEDULER_DISABLE: 'all' }]]) {
        const other = await startWith({ args, env: { ...LONG, ...off } });
        try {
          assert.equal((await other.ask('/', CRAWLER)).body, body);
          assert.equal((await other.ask('/health')).body, 'ok\n');
          assert.equal((await other.ask('/checkout', { method: 'POST' })).status, 201);
          const { body: metrics } = await other.ask('/metrics');
          assert.equal(/^uv_scheduler_tasks_total/m.test(metrics), off !== undefined);
          assert.deepEqual(await other.terminate(), { code: 0, signal: null });
          assert.doesNotMatch(other.output, TROUBLE);
        } finally {
          await other.kill();
        }
      }
    }).timeout(2 * SLOW);

    it('renders no more sections for visitors who have left', async () => {
      const { server } = current;
      const tasks = 'uv_scheduler_tasks_total{priority="user-visible",outcome="completed"}';
      const countTasks = async (visit) => {
        const before = await metricOf(server, tasks);
        await visit();
        await untilIdle(server);
        return await metricOf(server, tasks) - before;
      };
      const all = await countTasks(() => server.ask('/'));
      assert.ok(all > 100, `${all} tasks`);
      // A page may be complete before the server knows.
      while (await countTasks(() => comeAndLeave(server)) > 0.9 * all);
      assert.match((await server.ask('/')).body, END);
      assert.doesNotMatch(server.output, TROUBLE);
    }).timeout(SLOW);

    it('ends requests at the time limit', async () => {
      const server = await startWith({ env: { ...LONG, TIME_LIMIT: '60' } });
      try {
        // Nothing is sent before all is rendered.
        const late = await server.ask('/', CRAWLER);
        assert.deepEqual(late, { status: 503, body: 'Too slow. Try again.\n' });
        // Unless the machine stands still, the page begins in time.
        for (let isCut = false; !isCut;) {
          const { begun, answer } = server.visit('/');
          const { statusCode } = await begun;
          isCut = statusCode === 200;
          if (isCut) await assert.rejects(answer, { code: 'ECONNRESET' });
        }
        await untilIdle(server);
        assert.doesNotMatch(server.output, TROUBLE);
      } finally {
        await server.kill();
      }
    }).timeout(SLOW);

    it('sells to all under load, and ends on SIGTERM when its pages are sent', async () => {
      const { server } = current;
      const leaving = range(3, () => comeAndLeave(server));
      const pages = range(6, (i) => server.ask('/', i === 0 ? CRAWLER : {}));
      const orders = range(6, () => server.ask('/checkout', { method: 'POST' }));
      for (const { status } of await Promise.all(orders)) assert.equal(status, 201);
      await Promise.all(leaving);
      const visits = range(3, () => server.visit('/'));
      await Promise.all(visits.map(({ begun }) => begun));
      const ended = server.terminate();
      const answers = await Promise.all([...pages, ...visits.map(({ answer }) => answer)]);
      // Each page is whole, unless it was refused: a slow machine lacks the time for all of them.
      for (const { status, body } of answers) {
        if (status === 200) assert.match(body, END);
        else assert.equal(status, 503);
      }
      assert.ok(answers.some(({ status }) => status === 200), server.output);
      assert.deepEqual(await ended, { code: 0, signal: null }, server.output);
      assert.doesNotMatch(server.output, TROUBLE);
    }).timeout(2 * SLOW);
  });
}

describe(DOCUMENT, () => {
  it('shows lines of the shop', () => {
    const folder = folderOf('shop');
    const files = fs.readdirSync(folder).filter((name) => name.endsWith('.js'));
    assertShows(DOCUMENT, files.map((name) => path.join(folder, name)));
  });
});

'use strict';

// The examples on frameworks: each is started, asked, left by a client, and ended by SIGTERM.
// examples-next.test.js has that on Next.js, which it builds.
// @lane slow

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { ROOT, nodes } = require('../helpers/loop.js');
const { ExampleServer, folderOf } = require('../helpers/example-servers.js');
const tests = require('../helpers/example-tests.js');
const {
  MIN_ANSWERS, SLOW, testClasses, testHostileClients, testLongPage, testTimeLimit, useServer,
} = tests;

// sites.test.js attacks a site on the oldest Node, too.
const NODE = nodes.at(-1);

describe(`on Node ${NODE.version}, the example`, () => {
  const options = () => ({ node: NODE.path });

  // A long page of each, who else is answered meanwhile, its end, and what the server says when a
  // client has left; the pages that bad clients ask for; and what short requests answer.
  const PAGES = {
    express: {
      page: '/report', others: ['/health', '/month/7'], end: /2024-12.*\n<p>The end<\/p>\n$/s,
      left: /\/report: the visitor left; (\d+) of (\d+) months were rendered/,
      pages: ['/report', '/month/7', '/totals', '/health', 'POST /checkout'],
      answers: { '/month/7': /^200 <h2>1975-08<\/h2>/, '/month/600': /^404 / },
      made: ['totals', ({ length }) => length === 6],
    },
    fastify: {
      page: '/orders.csv', others: ['/health', '/days/7'],
      end: /\n2025-09-26,299,clock,232\.75\n$/,
      left: /\/orders\.csv: the client left; (\d+) of (\d+) days were exported/,
      pages: ['/orders.csv', '/days/7', '/statistics', '/health', 'POST /checkout'],
      answers: { '/days/7': /^200 2023-01-08,0,/, '/days/none': /^400 / },
      made: ['statistics', ({ days }) => days === 1000],
    },
    hono: {
      page: '/orders.csv', end: /\n2024-12,shelf,\d+\n$/,
      left: /\/orders\.csv: the client left; (\d+) of (\d+) months were exported/,
      pages: ['/orders.csv', '/statistics', '/health', 'POST /checkout'],
      made: ['statistics', ({ months }) => months === 600],
    },
    graphql: {
      page: '/graphql?query={months{name,sales{product,sum}}}', isStreamed: false,
      end: /"name":"2024-12".*\{"product":"shelf","sum":\d+\}\]\}\]\}\}$/,
      left: /months: the client left; (\d+) of (\d+) months were resolved/,
      pages: ['/health', 'POST /graphql', 'POST /checkout'],
      answers: {
        '/graphql?query={month(number:7){name}}': /^200 .*"month":\{"name":"1975-08"\}/,
        '/graphql?query={month(number:600){name}}': /^200 .*"month":null/,
      },
    },
    vue: {
      page: '/report', end: /1999-12.*<p>The end<\/p><\/body><\/html>$/s, hasClasses: false,
      left: /\/report: the visitor left; (\d+) of (\d+) months were rendered/,
      pages: ['/report', '/health'],
    },
  };

  for (const [name, example] of Object.entries(PAGES)) {
    const { page, end, pages, answers = {}, made, hasClasses = true, isStreamed } = example;
    describe(name, () => {
      const current = useServer(name, options);
      testLongPage(current, example);
      if (hasClasses) testClasses(current, page, { isStreamed });
      testHostileClients(current, { pages: [...new Set([page, ...pages])], end });

      it('answers short requests', async () => {
        for (const [place, expected] of Object.entries({ '/health': /^200 /, ...answers })) {
          const { status, body } = await current.server.ask(place);
          assert.match(`${status} ${body}`, expected);
        }
      }).timeout(SLOW);

      // Hono's signal knows no time limit of the response.
      if (name !== 'hono') testTimeLimit(name, options, example);

      if (made === undefined) return;
      const [what, isRight] = made;
      it(`makes the ${what} when there is nothing else to do`, async () => {
        await current.server.says(new RegExp(`the ${what} are ready`));
        const found = JSON.parse((await current.server.ask(`/${what}`)).body);
        assert.ok(isRight({ length: Object.keys(found).length, ...found }), JSON.stringify(found));
      }).timeout(SLOW);
    });
  }

  describe('static-site', () => {
    const PAGES = 300;
    const LAST = '/chapter-300.html';
    const output = path.join(folderOf('static-site'), 'dist');

    beforeEach(() => fs.rmSync(output, { recursive: true, force: true }));

    describe('serving', () => {
      const current = useServer('static-site', options);
      const built = async () => Number((await current.server.ask('/built')).body);
      const end = /<h2>Section 10<\/h2>/;
      testHostileClients(current, { pages: [LAST, '/built', '/health'], end });

      it('builds the page that is asked for before the others', async () => {
        const { body } = await current.server.ask(LAST);
        assert.match(body, /<h1>Chapter 300<\/h1>.*<h2>Section 10<\/h2>/s);
        const count = await built();
        assert.ok(count < 0.9 * PAGES, `${count} pages`);
      }).timeout(SLOW);

      it('answers while it builds all pages', async () => {
        let answers = 0;
        while ((await built()) < PAGES) answers += 1;
        assert.ok(answers >= MIN_ANSWERS, `${answers} answers`);
        await current.server.says(/built 300 pages, and answered \d+ requests meanwhile/);
        assert.equal(fs.readdirSync(output).length, PAGES);
      }).timeout(SLOW);

      it('ends on SIGTERM without building the rest', async () => {
        await current.server.ask(LAST);
        const ended = await current.server.terminate();
        assert.deepEqual(ended, { code: 0, signal: null }, current.server.output);
        const [, count] = await current.server.says(/the build has ended after (\d+) pages/);
        assert.ok(Number(count) < PAGES, current.server.output);
      }).timeout(SLOW);
    });

    it('builds all pages by itself', () => {
      const cwd = folderOf('static-site');
      const { stdout, stderr } = spawnSync(NODE.path, ['build.js'], { cwd, encoding: 'utf8' });
      assert.equal(stdout + stderr, 'built 300 pages in dist\n');
      assert.equal(fs.readdirSync(output).length, PAGES);
    }).timeout(SLOW);
  });

  describe('worker-pool', () => {
    const current = useServer('worker-pool', options);
    const report = async () => JSON.parse((await current.server.ask('/report')).body);
    const pages = ['/report', '/preview', '/statistics', '/health'];
    testHostileClients(current, { pages, end: /"primes":78498/ });

    it('answers what is urgent from threads that have long jobs', async () => {
      let running = 4;
      const reports = Array.from({ length: running }, async () => {
        const result = await report();
        running -= 1;
        return result;
      });
      const previews = Array.from({ length: 4 }, () => current.server.ask('/preview'));
      const answers = await Promise.all(previews);
      assert.equal(running, 4);
      const results = await Promise.all(reports);
      assert.deepEqual(results.map(({ primes }) => primes), Array(4).fill(78_498));
      const threads = new Set(results.map(({ threadId }) => threadId));
      for (const { body } of answers) assert.ok(threads.has(JSON.parse(body).threadId), body);
    }).timeout(SLOW);

    it('aborts the job of a client that has left, and no other one on its thread', async () => {
      const reports = Array.from({ length: 4 }, report);
      const visit = current.server.visit('/report');
      // The visit's job runs when an urgent job has overtaken it.
      await current.server.ask('/preview');
      visit.leave();
      await current.server.says(/^thread \d+: a job was aborted$/m);
      for (const { primes } of await Promise.all(reports)) assert.equal(primes, 78_498);
    }).timeout(SLOW);

    it('answers what it has begun on SIGTERM, and ends', async () => {
      const visits = [report(), report()];
      await current.server.ask('/preview');
      const ended = current.server.terminate();
      for (const { primes } of await Promise.all(visits)) assert.equal(primes, 78_498);
      assert.deepEqual(await ended, { code: 0, signal: null }, current.server.output);
    }).timeout(SLOW);
  });

  describe('graceful-shutdown', () => {
    const ORDERS = 200;
    const inFolder = useFolder(beforeEach, afterEach);
    const journal = () => inFolder('orders.log');
    const current = useServer('graceful-shutdown', () => {
      return { ...options(), env: { JOURNAL: journal() } };
    });

    const post = () => current.server.ask('/orders', { method: 'POST' });
    const pages = ['/health', 'POST /orders'];
    testHostileClients(current, { pages, end: /^ok\n$/ });

    it('works off what it has accepted, once, after SIGTERM, and takes no more', async () => {
      const answers = await Promise.all(Array.from({ length: ORDERS }, post));
      const accepted = answers.map(({ status, body }) => {
        assert.equal(status, 202);
        return Number(body);
      });
      const ended = current.server.terminate();
      const [, left] = await current.server.says(/, of which (\d+) are left to do/);
      assert.ok(Number(left) > 0);
      // Some of the connections may still be open.
      const outcomes = await Promise.allSettled([post(), post(), post()]);
      for (const { value } of outcomes) assert.ok([undefined, 503].includes(value?.status));
      assert.deepEqual(await ended, { code: 0, signal: null }, current.server.output);
      await current.server.says(/^0 orders are lost$/m);
      const lines = fs.readFileSync(journal(), 'utf8').trimEnd().split('\n');
      const byNumber = (one, other) => one - other;
      const done = lines.map((line) => Number.parseInt(line, 10)).sort(byNumber);
      assert.deepEqual(done, accepted.sort(byNumber));
    }).timeout(SLOW);
  });

  describe('docs-site', () => {
    const args = ['main.js', '--serve'];
    const current = useServer('docs-site', () => ({ ...options(), args }));
    const own = ['/scheduler', '/scheduler/events', '/metrics', '/style.css'];
    const pages = ['/', '/search?q=node', ...own];
    testHostileClients(current, { pages, end: /<\/html>$/ });
  });
});

describe('npm start example', () => {
  const START = path.join(ROOT, 'scripts', 'start.js');

  it('starts one, and ends it on SIGTERM', async () => {
    const server = await ExampleServer.start('vue', { args: [START, 'example', 'vue'] });
    try {
      assert.equal((await server.ask('/health')).body, 'ok\n');
      assert.deepEqual(await server.terminate(), { code: 0, signal: null }, server.output);
    } finally {
      await server.kill();
    }
  }).timeout(SLOW);
});

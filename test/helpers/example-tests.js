'use strict';

// Owns the tests that several examples have in common, and how a suite starts its server.

const assert = require('node:assert/strict');
const path = require('node:path');
const { ExampleServer } = require('./example-servers.js');
const { attack } = require('./hostile-clients.js');
const { FIXTURES, LIMIT, ROOT } = require('./programs.js');

// The least number of answers of a server while it works: a server that yields gives far more.
const MIN_ANSWERS = 5;
const SLOW = 3 * LIMIT;
const TIME_LIMIT = path.join(FIXTURES, 'time-limit.js');
// How many clients leave, one after the other, and of how many of them a server says so at least.
// On a busy machine a page may be complete before this process goes on, and one that is not
// streamed may not have begun.
const LEAVING = 9;
const NOTICED = { streamed: 6, whole: 1 };

// How long a hostile client waits for an answer, in milliseconds.
const PATIENCE = 100;

// The messages of a server that was not ready for a client, or that takes a client's leaving for
// its own fault.
const TROUBLE = /unhandled|uncaught|AbortError/i;
// An error that was raised by this package's code. One of the framework may pass through that.
const OURS = new RegExp('^(?!\\s+at ).*\\n(?:\\s+at .*(?:node:|<anonymous>).*\\n)*' +
  `\\s+at .*(?:uv-scheduler|${path.basename(ROOT)})[/\\\\]dist[/\\\\]`, 'm');

// Starts an example for each test of a suite, and ends it.
function useServer(name, options) {
  const current = {};
  beforeEach(async function () {
    this.timeout(SLOW);
    current.server = await ExampleServer.start(name, options());
  });
  afterEach(() => current.server?.kill());
  return current;
}

// Waits until the server has begun with a page: it sends some of it, or answers who came later.
const hasBegun = (server, visit, isStreamed) => isStreamed ? visit.begun : server.ask('/health');

// Leaves each time when a page has begun. Resolves to what the server has said last of it.
async function leave(server, { page, left, isStreamed }) {
  for (let i = 0; i < LEAVING; i++) {
    const visit = server.visit(page);
    await hasBegun(server, visit, isStreamed);
    visit.leave();
  }
  const times = isStreamed ? NOTICED.streamed : NOTICED.whole;
  return server.says(new RegExp(`(?:${left.source}[^]*?){${times}}`));
}

// The tests that all examples with a long page have in common. `others` are answered meanwhile.
// `left` is what the server says when a client has left: how much of the page was made, and how
// much there is. A page that is not streamed is sent when it is complete.
function testLongPage(current, options) {
  const { page, others = ['/health'], end, left, exit = 0, isStreamed = true } = options;

  it(`sends all of ${page}, and answers ${others.join(' and ')} meanwhile`, async () => {
    const { status, body, rounds } = await current.server.askBesides(page, others, { isStreamed });
    assert.equal(status, 200);
    assert.match(body, end);
    assert.ok(rounds >= MIN_ANSWERS, `${rounds} answers`);
  }).timeout(SLOW);

  it(`stops its work on ${page} when clients have left`, async () => {
    const [, some, all] = await leave(current.server, { page, left, isStreamed });
    assert.ok(Number(some) < Number(all), current.server.output);
    // The next one gets everything.
    assert.match((await current.server.ask(page)).body, end);
    assert.doesNotMatch(current.server.output, /error/i);
  }).timeout(SLOW);

  it(`sends ${page} to its end on SIGTERM, and ends`, async () => {
    const visit = current.server.visit(page);
    await hasBegun(current.server, visit, isStreamed);
    const ended = current.server.terminate();
    assert.match((await visit.answer).body, end);
    assert.deepEqual(await ended, { code: exit, signal: null }, current.server.output);
  }).timeout(SLOW);
}

// A page that is ended by a time limit in the middle. A framework may make an error of it.
function testTimeLimit(name, options, { page, left }) {
  describe('with a time limit', () => {
    const current = useServer(name, () => {
      const { args = ['server.js'], ...more } = options();
      return { ...more, args: ['--require', TIME_LIMIT, ...args] };
    });

    it('sends no part of a page as all of it', async () => {
      const { answer } = current.server.visit(page, { headers: { 'x-limit': '30' } });
      const { status } = await answer.catch(({ code }) => ({ status: code }));
      assert.ok([500, 503, 'ECONNRESET'].includes(status), `${status}`);
      const [, some, all] = await current.server.says(left);
      assert.ok(Number(some) < Number(all), current.server.output);
    }).timeout(SLOW);
  });
}

// Which requests are served first when there is more to do than the server has time for.
// `headers` are those of the checkout.
function testClasses(current, page, { headers, isStreamed = true, hasCrawlers = true } = {}) {
  const finish = (order, name, { answer }) => answer.then(() => order.push(name));

  it('serves a checkout before the pages that wait', async () => {
    const order = [];
    const visits = Array.from({ length: 3 }, () => current.server.visit(page));
    const answers = visits.map((visit) => finish(order, 'page', visit));
    await hasBegun(current.server, visits[0], isStreamed);
    const { status } = await current.server.ask('/checkout', { method: 'POST', headers });
    assert.equal(status, 201);
    assert.deepEqual(order, []);
    await Promise.all(answers);
  }).timeout(SLOW);

  if (!hasCrawlers) return;
  it('serves visitors before a crawler that came first', async () => {
    const order = [];
    const crawler = current.server.visit(page, { headers: { 'user-agent': 'a bot' } });
    const answers = [finish(order, 'crawler', crawler)];
    await hasBegun(current.server, crawler, isStreamed);
    const visits = Array.from({ length: 2 }, () => current.server.visit(page));
    answers.push(...visits.map((visit) => finish(order, 'visitor', visit)));
    await Promise.all(answers);
    assert.deepEqual(order, ['visitor', 'visitor', 'crawler']);
  }).timeout(SLOW);
}

// Clients that behave badly end no server, whose first page is then as it was, and keep none from
// ending. `ofFramework` is what the framework says without this package as well.
function testHostileClients(current, options) {
  const { pages, end, patience = PATIENCE, ofFramework = /$^/ } = options;

  it('survives clients that behave badly', async () => {
    const { server } = current;
    assert.match((await server.ask(pages[0])).body, end);
    // Where the machine is busy, no client waits for long enough to see an answer at first.
    let counts;
    for (const times of [1, 10]) {
      counts = await attack(server.url, { pages, patience: times * patience });
      assert.equal(counts.refused, 0, server.output);
      if (counts.statuses[400] > 0) break;
    }
    // The requests have reached the server.
    assert.ok(counts.statuses[400] > 0, JSON.stringify(counts));
    const { status, body } = await server.ask(pages[0]);
    assert.equal(status, 200);
    assert.match(body, end);
    assert.deepEqual(await server.terminate(), { code: 0, signal: null }, server.output);
    const said = server.output.replace(ofFramework, '');
    assert.doesNotMatch(said, TROUBLE);
    assert.doesNotMatch(said, OURS);
  }).timeout(2 * SLOW);
}

module.exports = {
  MIN_ANSWERS, SLOW, testClasses, testHostileClients, testLongPage, testTimeLimit, useServer,
};

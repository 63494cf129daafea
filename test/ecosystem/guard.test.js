'use strict';

// uv-scheduler/guard in front of servers of frameworks that nobody changes: their bytes are those
// without it, and the other routes are served while one takes all of the thread.
// @lane long

const assert = require('node:assert/strict');
const path = require('node:path');
const { until } = require('../helpers/admission.js');
const { ExampleServer } = require('../helpers/example-servers.js');
const { testHostileClients } = require('../helpers/example-tests.js');
const {
  assertSameBytes, assertServed, exchangesOf, flood, launch, statusOf, stopAll,
} = require('../helpers/guard.js');
const { finder } = require('../helpers/installed.js');
const { LIMIT, ROOT, nodes } = require('../helpers/loop.js');
const examples = require('../../scripts/setup/examples.js');

const STRANGERS = path.join(__dirname, 'servers', 'strangers.js');
const GUARD = path.join(ROOT, 'dist', 'guard.js');
const SLOW = 8 * LIMIT;

finder('servers')('Koa', 'koa');

afterEach(stopAll);

for (const name of ['express', 'fastify', 'koa', 'nest', 'hono']) {
  describe(`a guarded server of ${name}`, function () {
    this.timeout(SLOW);
    const settings = { args: [name], cwd: path.dirname(STRANGERS), flags: ['--import', GUARD] };
    const begin = (mode) => launch(STRANGERS, { mode, ...settings });

    it('answers with the same bytes', async () => {
      await assertSameBytes(begin, exchangesOf({ page: '/cheap', more: ['/throws', '/costly'] }));
    });

    it('serves other routes while one takes all of the thread', async () => {
      const server = await begin('enforce');
      const pages = { costly: '/costly', others: ['/cheap', '/health'] };
      const { flooded, others } = await flood(server.port, pages);
      assertServed(others);
      assert.ok(flooded[200] > 0 && flooded[200] < 0.9 * sumOf(flooded), JSON.stringify(flooded));
      await server.stop();
    });
  });
}

const sumOf = (counts) => Object.values(counts).reduce((sum, each) => sum + each, 0);

describe('OpenTelemetry and a guard', function () {
  this.timeout(SLOW);
  const agent = path.join(path.dirname(STRANGERS), 'otel.js');
  const parent = 'b7ad6b7169203331';
  const headers = { traceparent: `00-0af7651916cd43dd8448eb211c80319c-${parent}-01` };

  for (const flags of [['-r', agent, '--import', GUARD], ['-r', GUARD, '-r', agent]]) {
    it(`both see each request once, in the order ${flags[0]} ${flags[2]}`, async () => {
      for (const mode of ['observe', 'enforce']) {
        const server = await launch(STRANGERS, { mode, args: ['express'], flags });
        for (const page of ['/cheap', '/health']) await statusOf(server.port, page, { headers });
        await until(() => server.stdout.endsWith(`span /health 200 ${parent}\n`));
        await server.stop();
        assert.equal(server.stdout.split('\n')[0], `span /cheap 200 ${parent}`);
        assert.match(server.stderr, / 1 .* GET \/cheap\n/);
      }
    });
  }
});

// A page of the examples that takes long.
const COSTLY = '/report';

for (const name of ['next', 'nuxt', 'astro', 'react-router']) {
  describe(`a guarded server of the example ${name}`, function () {
    this.timeout(SLOW);
    const node = nodes.findLast(({ version }) => examples.runsOn(name, version));
    const current = {};

    before(() => examples.build(name, node.path)).timeout(SLOW);

    const begin = async (mode) => {
      const args = examples.argumentsOf(name, 'start');
      const guarded = { NODE_OPTIONS: `--import ${GUARD}`, UV_SCHEDULER_GUARD: mode };
      const env = mode === undefined ? {} : guarded;
      const server = await ExampleServer.start(name, { node: node.path, args, env });
      current.server = server;
      return { port: new URL(server.url).port, stop: () => server.kill(), server };
    };

    afterEach(() => current.server?.kill());

    it('answers with the same bytes', async () => {
      await assertSameBytes(begin, exchangesOf({ page: '/health', post: '/health' }));
    });

    it('serves its health check while a page takes all of the thread', async () => {
      const { port } = await begin('enforce');
      const { others } = await flood(port, { costly: COSTLY, others: ['/health'], atOnce: 20 });
      assertServed(others);
    });

    // The exit code of Next.js depends on what clients have asked for.
    if (name === 'next') return;
    describe('in the mode enforce', () => {
      beforeEach(() => begin('enforce'));
      testHostileClients(current, {
        pages: [COSTLY, '/health', 'POST /checkout'], end: /./,
      });
    });
  });
}

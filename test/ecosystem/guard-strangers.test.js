'use strict';

// uv-scheduler/guard in programs that npm installs, and beside what hooks servers as well: APM
// agents, and pm2 with its cluster.
// @lane long

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { freePort } = require('../../examples/fleet/redis.js');
const { until } = require('../helpers/admission.js');
const { useFolder } = require('../helpers/folders.js');
const {
  assertSameBytes, assertServed, exchangesOf, flood, launch, statusOf, stopAll,
} = require('../helpers/guard.js');
const { finder } = require('../helpers/installed.js');
const { LIMIT, ROOT, nodes } = require('../helpers/loop.js');

const FOLDER = path.join(__dirname, 'strangers');
const EXPRESS = path.join(__dirname, 'servers', 'strangers.js');
const GUARD = path.join(ROOT, 'dist', 'guard.js');
const MODES = ['observe', 'enforce'];
const SLOW = 8 * LIMIT;
const node = nodes.at(-1);

const find = finder('strangers');
find('verdaccio', 'verdaccio');

const inFolder = useFolder();

afterEach(stopAll);

function writePackages() {
  fs.cpSync(path.join(FOLDER, 'verdaccio.yaml'), inFolder('config.yaml'));
  for (const [name, count] of [['big', 1000], ['small', 1]]) {
    const versions = Array.from({ length: count }, (_, i) => [`1.0.${i}`, {
      name, version: `1.0.${i}`, description: 'text '.repeat(60),
      dist: { tarball: `http://a/${name}/-/${name}-1.0.${i}.tgz` },
    }]);
    fs.mkdirSync(inFolder('storage', name), { recursive: true });
    fs.writeFileSync(inFolder('storage', name, 'package.json'), JSON.stringify({
      name, 'versions': Object.fromEntries(versions), 'dist-tags': { latest: '1.0.0' },
      '_distfiles': {}, '_attachments': {}, '_uplinks': {}, '_rev': '1-a',
    }));
  }
}

// Their parts: how they begin, two pages, what takes long, and the name of that route.
const PROGRAMS = {
  'node-red': {
    file: ['red.js'],
    argsOf: (port) => ['-u', inFolder('red'), '-p', port, path.join(FOLDER, 'flows.json')],
    pages: ['/cheap', '/settings'], costly: '/costly', route: 'GET /costly',
  },
  'verdaccio': {
    file: ['bin', 'verdaccio'], write: writePackages,
    argsOf: (port) => ['--config', inFolder('config.yaml'), '--listen', `127.0.0.1:${port}`],
    pages: ['/small', '/-/ping'], costly: '/big', route: 'GET /:package/:version?',
  },
};

for (const [name, { file, argsOf, pages, costly, route, write }] of Object.entries(PROGRAMS)) {
  describe(`a guarded ${name}`, function () {
    this.timeout(SLOW);
    before(() => write?.());

    const begin = async (mode) => {
      const port = await freePort();
      return launch(find(name, name, ...file), {
        mode, node, port, args: argsOf(String(port)), ready: pages[0], cwd: FOLDER,
        flags: ['--import', GUARD],
      });
    };

    it('answers with the same bytes', async () => {
      const exchanges = exchangesOf({ page: pages[0], post: '/echo', more: pages });
      await assertSameBytes(begin, exchanges, ['observe']);
    });

    it('serves other pages while one takes the thread, and names it at the end', async () => {
      const server = await begin('enforce');
      assertServed((await flood(server.port, { costly, others: pages, atOnce: 20 })).others);
      await server.stop();
      assert.ok(server.stderr.includes(`  ${route} takes `), server.stderr);
    });
  });
}

describe('beside a guard', function () {
  this.timeout(SLOW);
  const agentFile = path.join(FOLDER, 'apm.mjs');
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  for (const APM of ['@sentry/node', 'dd-trace', 'newrelic']) {
    it(`${APM} sees each request as without it, whichever is loaded first`, async () => {
      let plain;
      const see = async (agents, mode = 'off') => {
        const flags = agents.flatMap((each) => ['--import', each]);
        const env = { APM };
        const server = await launch(EXPRESS, { mode, flags, node, env, args: ['express'] });
        for (const page of ['/cheap', '/throws', '/health']) {
          await statusOf(server.port, page, { headers: { traceparent } });
        }
        await until(() => server.stdout.split('\n').length > 3);
        await server.stop();
        plain ??= server.stdout;
        assert.equal(server.stdout, plain);
        if (mode !== 'off') assert.match(server.stderr, / 1 .* GET \/cheap\n/);
      };
      await see([agentFile]);
      assert.match(plain, /\/cheap 200.*\n.*\/throws 418.*\n.*\/health 200/);
      for (const mode of MODES) {
        for (const order of [[agentFile, GUARD], [GUARD, agentFile]]) await see(order, mode);
      }
    });
  }

  it('pm2 and its cluster serve other pages, and each process writes its table', async () => {
    const port = await freePort();
    const NODE_OPTIONS = `--import ${JSON.stringify(GUARD)}`;
    const server = await launch(find('pm2', 'pm2', 'bin', 'pm2-runtime'), {
      mode: 'enforce', node, port, flags: [], ready: '/health', cwd: path.dirname(EXPRESS),
      args: ['start', EXPRESS, '-i', '2'],
      env: { FRAMEWORK: 'express', NODE_OPTIONS, PM2_HOME: inFolder('pm2'), PORT: port },
    });
    const pages = { costly: '/costly', others: ['/cheap', '/health'], atOnce: 60 };
    const { flooded, others } = await flood(port, pages);
    assertServed(others);
    assert.ok(flooded[429] + flooded[503] > 0, JSON.stringify(flooded));
    assert.equal(await server.stop('SIGINT'), 0);
    assert.equal(server.stderr.match(/ GET \/costly takes /g).length, 2, server.stderr);
  });
});

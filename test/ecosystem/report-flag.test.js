'use strict';

// uv-scheduler/report with programs of users, which do not know it: the place that blocks the
// thread is the first one. The programs are in report/.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { finder } = require('../helpers/installed.js');
const { LIMIT, ROOT, nodes } = require('../helpers/loop.js');
const {
  FLAG, assertFirst, lineAbout, onEachNode, post, reportOn, withServer, withoutOurs,
} = require('../helpers/report-flag.js');
const { useFolder } = require('../helpers/folders.js');

const PROGRAMS = path.join(__dirname, 'report');
const ENDS = [...new Set([nodes.at(0), nodes.at(-1)])];
const SLOW = 8 * LIMIT;

const inFolder = useFolder(beforeEach, afterEach);

const programOf = (name) => path.join(PROGRAMS, name);

// Runs a program, and asserts that it ends as it does without the flag and that most time went in
// one function. Returns the entry of that.
async function assertNamed(node, name, functionName, settings, file = programOf(name)) {
  const { code, stderr, files } = await reportOn(node, inFolder(), [programOf(name)], settings);
  assert.deepEqual([code, withoutOurs(stderr)], [0, '']);
  assert.match(stderr, lineAbout(functionName));
  return assertFirst(files[0], functionName, file);
}

async function get(port, place) {
  const [response] = await once(http.get({ port, host: '127.0.0.1', path: place, agent: false }),
    'response');
  await once(response.resume(), 'end');
  assert.equal(response.statusCode, 200);
}

// The second visitor gets what the compiler has made of the code.
const visit = (place) => withServer(async (port) => {
  for (let i = 0; i < 2; i++) await get(port, place);
});

describe('uv-scheduler/report names first', function () {
  this.timeout(SLOW);

  for (const [title, [place, functionName, kinds]] of Object.entries({
    'the function that renders a page of Express':
      ['/page', 'plantedPage', ['code', 'garbage-collection']],
    'the component that renders a page of React': ['/react', 'PlantedList', ['react']],
  })) {
    it(title, async () => {
      await onEachNode(async (node) => {
        const onStart = visit(place);
        const { kind } = await assertNamed(node, 'express.js', functionName, { onStart });
        assert.ok(kinds.includes(kind), kind);
      }, ENDS);
    });
  }

  it("Fastify's parser of a body of 20 MB", async () => {
    const SIZE = 20e6;
    const rows = [];
    for (let length = 0; length < SIZE; length += rows.at(-1).length) {
      rows.push(JSON.stringify({ id: rows.length, name: `name ${rows.length}` }));
    }
    const body = `[${rows.join()}]`;
    const file = path.join(ROOT, 'node_modules', 'secure-json-parse', 'index.js');
    await onEachNode(async (node) => {
      const onStart = withServer(async (port) => {
        const headers = { 'content-type': 'application/json' };
        for (let i = 0; i < 2; i++) assert.equal(await post(port, body, headers), 200);
      });
      // A stack names the caller of JSON.parse(), V8's profile the call itself.
      const env = { UV_SCHEDULER_REPORT_PROFILE: '1' };
      const { kind } = await assertNamed(node, 'fastify.js', '_parse', { env, onStart }, file);
      assert.equal(kind, 'json-parse');
    }, ENDS);
  });

  const VITESTS = { 'vitest 3': ['hosts', 'threads'], 'vitest 4': ['vitest4', 'forks'] };
  for (const [name, [folder, pool]] of Object.entries(VITESTS)) {
    it(`the test that blocks its ${pool}, which ${name} ends behind it`, async () => {
      const vitest = finder(folder)(name, 'vitest', 'vitest.mjs');
      const file = 'planted.test.mjs';
      await onEachNode(async (node) => {
        fs.copyFileSync(path.join(PROGRAMS, 'vitest', file), inFolder(file));
        const command = [vitest, 'run', '--globals', `--pool=${pool}`, '--root', inFolder()];
        const settings = { flags: [], env: { NODE_OPTIONS: `--import ${FLAG}` } };
        const { code, stdout, stderr } = await reportOn(node, inFolder(), command, settings);
        assert.equal(code, 0, stderr);
        assert.match(stdout + stderr, lineAbout('plantedTest'));
      }, ENDS);
    });
  }
});

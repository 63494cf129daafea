'use strict';

// uv-scheduler/report with programs on frameworks, which do not know it: the place that blocks the
// thread is the first one. The programs are in report/.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const path = require('node:path');
const { stripVTControlCharacters } = require('node:util');
const { finder } = require('../helpers/installed.js');
const { LIMIT, ROOT, endNodes } = require('../helpers/loop.js');
const {
  assertFirst, lineAbout, onEachNode, post, reportOn, withServer, withoutOurs,
} = require('../helpers/report-flag.js');
const { useFolder } = require('../helpers/folders.js');

const SIZE_OF_BODY = 20e6;

async function get(port, place) {
  const [response] = await once(http.get({ port, host: '127.0.0.1', path: place, agent: false }),
    'response');
  await once(response.resume(), 'end');
  assert.equal(response.statusCode, 200);
}

// Asks for a page twice.
const visits = (place) => async (port) => {
  for (let i = 0; i < 2; i++) await get(port, place);
};

async function postRows(port) {
  const rows = [];
  for (let length = 0; length < SIZE_OF_BODY; length += rows.at(-1).length) {
    rows.push(JSON.stringify({ id: rows.length, name: `name ${rows.length}` }));
  }
  const headers = { 'content-type': 'application/json' };
  for (let i = 0; i < 2; i++) assert.equal(await post(port, `[${rows.join()}]`, headers), 200);
}

const programOf = (name) => path.join(__dirname, 'report', name);

// Each with its program, the visits of its server, the function that takes most of the time, its
// file if that is not the program, and the kind of place.
const PROGRAMS = {
  'the function that renders a page of Express': {
    program: 'express.js', ask: visits('/page'), name: 'plantedPage', kind: 'code',
  },
  'the component that renders a page of React': {
    program: 'express.js', ask: visits('/react'), name: 'PlantedList', kind: 'react',
  },
  "Fastify's parser of a body of 20 MB": {
    program: 'fastify.js', ask: postRows, name: '_parse', kind: 'json-parse',
    file: path.join(ROOT, 'node_modules', 'secure-json-parse', 'index.js'),
  },
};

describe('uv-scheduler/report names first', function () {
  this.timeout(8 * LIMIT);
  const inFolder = useFolder(beforeEach, afterEach);

  for (const [title, { program, ask, name, kind, file }] of Object.entries(PROGRAMS)) {
    it(title, () => onEachNode(async (node) => {
      const command = [programOf(program)];
      const settings = { onStart: withServer(ask) };
      const { code, stderr, files } = await reportOn(node, inFolder(), command, settings);
      assert.deepEqual([code, withoutOurs(stderr)], [0, '']);
      assert.match(stderr, lineAbout(name));
      const first = assertFirst(files[0], name, file ?? command[0]);
      assert.equal(first.kind, kind);
    }, endNodes));
  }

  it("the plug-in of Vite's dev server", () => onEachNode(async (node) => {
    const vite = finder('bundlers')('Vite', 'vite', 'bin', 'vite.js');
    const site = programOf('vite');
    let isAsked = false;
    const onStart = (child) => child.stdout.on('data', async (text) => {
      const [, port] = /:(\d+)\//.exec(stripVTControlCharacters(`${text}`)) ?? [];
      if (port === undefined || isAsked) return;
      isAsked = true;
      await get(port, '/main.mjs').finally(() => child.kill('SIGTERM'));
    });
    const settings = { onStart, env: { PORT: '0' }, cwd: site };
    const { stderr, files } = await reportOn(node, inFolder(), [vite, site], settings);
    assert.match(stderr, lineAbout('plantedTransform'));
    assert.equal(files[0].places[0].functionName, 'plantedTransform', stderr);
  }, endNodes));
});

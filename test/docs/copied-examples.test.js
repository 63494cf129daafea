'use strict';

// Files of examples/ that the documents tell users to copy start in packages of both kinds: alone
// in one with `"type": "module"`, else with the package.json of their folder. These need no
// packages but those of the checkout. eslint sees to it that the others are ES modules, too.
// @host any

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { install } = require('../helpers/examples.js');
const { withFolder } = require('../helpers/folders.js');
const { LIMIT, ROOT, assertOnEnds, run } = require('../helpers/loop.js');

const EXAMPLES = path.join(ROOT, 'examples');

// Loads a file, and ends when that has a server that listens.
const LOAD = `
  const { log } = console;
  console.log = (text) => {
    if (!text.startsWith('http')) return;
    log('listens');
    process.exit();
  };
  import(process.argv[2]).then((all) => {
    if (all.createSchedulerPage) console.log('http', all.createSchedulerPage().routes.size);
  });
`;

const PACKAGES = ['express', 'fastify', 'marked', 'uv-scheduler'];

const FILES = [
  'docs-site/scheduler-page.cjs', 'express/server.js', 'fastify/server.js',
  'graceful-shutdown/server.js', 'static-site/server.js',
];

async function assertStarts(file, type) {
  const left = new Set(['dist', 'node_modules', type === 'module' ? 'package.json' : '']);
  const filter = (place) => !left.has(path.basename(place));
  await withFolder(async (folder) => {
    for (const name of [path.dirname(file), 'shared']) {
      const [from, to] = [EXAMPLES, folder].map((place) => path.join(place, name));
      fs.cpSync(from, to, { recursive: true, filter });
    }
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type }));
    fs.writeFileSync(path.join(folder, 'load.js'), LOAD);
    install(folder, PACKAGES);
    const env = { ...process.env, PORT: '0' };
    await assertOnEnds({ code: 0, stdout: 'listens\n', stderr: '' }, async (node) => {
      const options = { cwd: folder, env, timeout: LIMIT };
      const { code, stdout, stderr } = await run(node, ['load.js', `./${file}`], options);
      return { code, stdout, stderr };
    });
  });
}

for (const type of ['module', 'commonjs']) {
  describe(`copied into a package of the type ${type}`, () => {
    for (const file of FILES) it(file, () => assertStarts(file, type)).timeout(2 * LIMIT);
  });
}

describe('an example', () => {
  it('says in its package.json that its files are ES modules', () => {
    const folders = fs.readdirSync(EXAMPLES, { withFileTypes: true });
    const others = folders.flatMap(({ name }) => {
      const file = path.join(EXAMPLES, name, 'package.json');
      if (!fs.existsSync(file)) return [];
      return JSON.parse(fs.readFileSync(file, 'utf8')).type === 'module' ? [] : [name];
    });
    // Of these no file is JavaScript without a bundler, or all are named .mjs.
    assert.deepEqual(others, ['next', 'work']);
  });
});

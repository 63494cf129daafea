'use strict';

// The programs of examples/work/, each of which prints what its comments say, and the page
// docs/work.md, which shows lines of them.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');
const { LIMIT, nodes, run } = require('../helpers/loop.js');
const { assertShows, read } = require('../helpers/docs.js');
const { Redis } = require('../../examples/fleet/redis.js');

const DOCUMENT = 'docs/work.md';
const FOLDER = path.join(__dirname, '../../examples/work');
const NODE = nodes.at(-1);

const programs = fs.readdirSync(FOLDER).filter((name) => /\.(?:mjs|ts)$/.test(name));
const sourceOf = (name) => fs.readFileSync(path.join(FOLDER, name), 'utf8');

// Compiles a program as tsc does with the options of Nest, into `build/`.
function compile(name) {
  const { outputText } = ts.transpileModule(sourceOf(name), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  const file = path.join(FOLDER, 'build', name.replace(/ts$/, 'cjs'));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, outputText);
  return file;
}

async function assertPrints(name, env = {}) {
  const file = name.endsWith('.ts') ? compile(name) : path.join(FOLDER, name);
  const lines = Array.from(sourceOf(name).matchAll(/\/\/ prints: (.*)$/gm), ([, said]) => said);
  assert.ok(lines.length > 0);
  const { code, stdout, stderr } = await run(NODE, [file], {
    cwd: FOLDER, env: { ...process.env, ...env }, timeout: LIMIT,
  });
  const expected = { code: 0, stdout: `${lines.join('\n')}\n`, stderr: '' };
  assert.deepEqual({ code, stdout, stderr }, expected);
}

describe(`on Node ${NODE.version}, the program of examples/work/`, () => {
  for (const name of programs.filter((each) => each !== 'bullmq.mjs')) {
    it(name, () => assertPrints(name)).timeout(2 * LIMIT);
  }

  it('bullmq.mjs', async () => {
    const redis = new Redis();
    await redis.start();
    try {
      const { host, port } = redis.connection;
      await assertPrints('bullmq.mjs', { REDIS_URL: `redis://${host}:${port}` });
    } finally {
      await redis.stop();
    }
  }).timeout(2 * LIMIT);
});

describe(DOCUMENT, () => {
  it('shows lines of these programs, and links to each of them', () => {
    assertShows(DOCUMENT, programs.map((name) => path.join(FOLDER, name)));
    const text = read(DOCUMENT);
    assert.deepEqual(programs.filter((name) => !text.includes(`/examples/work/${name}`)), []);
  });
});

'use strict';

// The programs of examples/work/, each of which prints what its comments say, and the page
// docs/work.md, which shows lines of them.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');
const { prepareRabbitMQ, withRabbitMQ } = require('../helpers/rabbitmq.js');
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

// Runs a program with other lines in place of those that try it.
async function runWith(name, lines, env = {}) {
  const [source] = sourceOf(name).split('// To try it');
  const file = path.join(FOLDER, 'build', `other-${name}`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, source + lines);
  const { code, stdout, stderr } = await run(NODE, [file], {
    cwd: FOLDER, env: { ...process.env, ...env }, timeout: LIMIT,
  });
  return { code, stdout, stderr };
}

// A long message takes far longer than the broker waits for a heartbeat: without pauses it would
// close the connection. All acknowledgements have arrived at the end.
const AT_RABBITMQ = `
  const setUp = await connect(process.env.URL);
  const publisher = await setUp.createConfirmChannel();
  await publisher.assertQueue('orders');
  const send = (appId, length) =>
    publisher.sendToQueue('orders', Buffer.alloc(length, 50), { appId });
  send('long', 800);
  for (let i = 0; i < 20; i++) send('short', 1);
  await publisher.waitForConfirms();
  const end = await start(process.env.URL + '?heartbeat=1', 'orders');
  while ((await publisher.checkQueue('orders')).messageCount > 0);
  await end();
  const { messageCount } = await publisher.checkQueue('orders');
  console.log(messageCount, 'left');
  await setUp.close();
`;

describe(`on Node ${NODE.version}, the program of examples/work/`, () => {
  before(prepareRabbitMQ).timeout(10 * LIMIT);

  for (const name of programs.filter((each) => each !== 'bullmq.mjs')) {
    it(name, () => assertPrints(name)).timeout(2 * LIMIT);
  }

  it('amqp.mjs, at RabbitMQ, with a message longer than the time limit for heartbeats', () => {
    return withRabbitMQ(async (URL) => {
      const ended = await runWith('amqp.mjs', AT_RABBITMQ, { URL });
      assert.deepEqual(ended, { code: 0, stdout: '0 left\n', stderr: '' });
    });
  }).timeout(2 * LIMIT);

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

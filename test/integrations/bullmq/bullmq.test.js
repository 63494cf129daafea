'use strict';

// `uv-scheduler/bullmq` without Redis: how it is loaded, and which arguments an IdleWorker refuses.
// What it does with jobs is tested in ecosystem/, with BullMQ 5 and 6.

const assert = require('node:assert/strict');
const { Worker } = require('bullmq');
const { IdleWorker } = require('uv-scheduler/bullmq');
const { LIMIT, ROOT, assertOnEachNode, run } = require('../../helpers/loop.js');

const connection = { host: '127.0.0.1' };
const processor = () => {};

const PROCESSOR = 'the argument processor must be a function, which runs in this process ' +
  '(not a file or URL)';
const CONNECTION = "the member connection must be an object: options of a connection or one of " +
  "ioredis'";
const PATIENCE = 'the member patience must be a number of milliseconds above 0, or Infinity';
const MAX_GIVE_BACKS = 'the member maxGiveBacks must be an integer from 0 on, or Infinity';

const TYPE = 'ERR_INVALID_ARG_TYPE';
const RANGE = 'ERR_OUT_OF_RANGE';

const REFUSED = [
  ['no processor', [undefined, { connection }], PROCESSOR, 'undefined', TYPE],
  ['a file', ['./file.js', { connection }], PROCESSOR, 'the string "./file.js"', TYPE],
  ['a URL', [new URL('file:///x'), { connection }], PROCESSOR, 'an object of class URL', TYPE],
  ['no options', [processor], 'the argument options must be an object with a connection',
    'undefined', TYPE],
  ['no connection', [processor, {}], CONNECTION, 'undefined', TYPE],
  ['an address as connection', [processor, { connection: 'redis://localhost' }], CONNECTION,
    'the string "redis://localhost"', TYPE],
  ['a patience of 0', [processor, { connection, patience: 0 }], PATIENCE, '0', RANGE],
  ['a patience that is NaN', [processor, { connection, patience: NaN }], PATIENCE, 'NaN', RANGE],
  ['a patience that is text', [processor, { connection, patience: '1' }], PATIENCE,
    'the string "1"', TYPE],
  ['half a give-back', [processor, { connection, maxGiveBacks: 0.5 }], MAX_GIVE_BACKS, '0.5',
    RANGE],
  ['null give-backs', [processor, { connection, maxGiveBacks: null }], MAX_GIVE_BACKS, 'null',
    TYPE],
];

describe('uv-scheduler/bullmq', () => {
  it('exports a class that extends the Worker of BullMQ', () => {
    assert.equal(Object.getPrototypeOf(IdleWorker), Worker);
  });

  for (const [what, args, expected, received, code] of REFUSED) {
    it(`refuses ${what}`, () => {
      const message = `Failed to execute 'IdleWorker': ${expected}, but received ${received}.`;
      assert.throws(() => new IdleWorker('queue', ...args), { name: 'TypeError', code, message });
    });
  }

  it('leaves the refusal of other options to BullMQ', async () => {
    // BullMQ has begun to connect by then, and would go on for ever.
    const code = `
      const { IdleWorker } = require('uv-scheduler/bullmq');
      try {
        new IdleWorker('queue', () => {}, { connection: {}, stalledInterval: 0 });
      } catch ({ message }) {
        process.stdout.write(message, () => process.exit());
      }`;
    const { stdout } = await run({ path: process.execPath }, ['-e', code], { cwd: ROOT });
    assert.match(stdout, /stalledInt/);
  });

  it('can be imported by name in an ES module', async () => {
    const code =
      "import { IdleWorker } from 'uv-scheduler/bullmq'; console.log(IdleWorker.name);";
    const expected = { code: 0, signal: null, stdout: 'IdleWorker\n', stderr: '' };
    await assertOnEachNode(expected, (node) => run(node, ['--input-type=module', '-e', code]));
  }).timeout(4 * LIMIT);
});

'use strict';

// NODE_DEBUG=uv-scheduler: the lines that say why an entry waits, and that there are none without
// it. core/tests/event_loop/refused.rs tests each reason.
// @host each-node

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { LIMIT, ROOT, assertOnEachNode, run } = require('../helpers/loop.js');

const LINE = /^UV-SCHEDULER \d+: (.* waits: .*; queued: .*)$/gm;
const BUSY = "background task N 'index' waits: other callbacks are runnable (timers are due, or " +
  'immediates or closing handles wait); queued: 2 × background task';

// Background work beside an immediate that sets itself again, until a line has been written.
const BACKGROUND = `
const { scheduler } = require(${JSON.stringify(ROOT)});
const { write } = process.stderr;
let isWritten = false;
process.stderr.write = function (text) {
  isWritten ||= text.includes('waits');
  return write.apply(this, arguments);
};
const end = performance.now() + 20_000;
(function again() {
  if (!isWritten && performance.now() < end) setImmediate(again);
})();
scheduler.postTask(() => {}, { priority: 'background', label: 'index' });
scheduler.postTask(() => {}, { priority: 'background' });
// The portable host takes a turn that comes at once for an idle one.
const later = performance.now() + 5;
while (performance.now() < later);
`;

// Chains of tasks of two priorities: in almost each turn, another entry waits.
const FLAPPING = `
const { configure, scheduler } = require(${JSON.stringify(ROOT)});
configure({ timeSlice: 1 });
const began = performance.now();
const chain = () => performance.now() - began > 500 || scheduler.postTask(() => {
  const end = performance.now() + Math.random();
  while (performance.now() < end);
  chain();
}, { priority: Math.random() < 0.5 ? 'user-visible' : 'background' });
for (let i = 0; i < 5; i++) chain();
process.on('exit', () => console.log(performance.now() - began));
`;

async function outputOf(node, program, variables) {
  const env = { ...process.env, NODE_DEBUG: 'uv-scheduler', ...variables };
  const { stderr, stdout, ...end } = await run(node, ['-e', program], { env });
  assert.deepEqual(end, { code: 0, signal: null }, stderr);
  return { lines: Array.from(stderr.matchAll(LINE), ([, line]) => line), stdout, stderr };
}

describe('NODE_DEBUG=uv-scheduler', () => {
  for (const [host, variables] of [['addon', {}], ['portable', { UV_SCHEDULER_PORTABLE: '1' }]]) {
    it(`says why the first entry waits, and what else is queued: ${host}`, async () => {
      await assertOnEachNode(true, async (node) => {
        const { lines, stderr } = await outputOf(node, BACKGROUND, variables);
        return lines.some((line) => line.replace(/task \d+/, 'task N') === BUSY) || stderr;
      });
    }).timeout(2 * LIMIT);
  }

  it('writes a line when a reason changes, at most ten in a second', async () => {
    await assertOnEachNode(true, async (node) => {
      const { lines, stdout, stderr } = await outputOf(node, FLAPPING);
      return (lines.length > 0 && lines.length <= Number(stdout) / 100 + 1) || stderr;
    });
  }).timeout(LIMIT);

  it('writes nothing unless it is set', async () => {
    for (const NODE_DEBUG of ['', 'http']) {
      const program = BACKGROUND.replace('20_000', '50');
      await assertOnEachNode('', async (node) =>
        (await outputOf(node, program, { NODE_DEBUG })).stderr);
    }
  }).timeout(LIMIT);
});

describe('the conditions of the core', () => {
  it('have a text, except that of checkpoints, which check phases never have', async () => {
    const source = fs.readFileSync(path.join(ROOT, 'core', 'src', 'rules.rs'), 'utf8');
    const [, body] = /pub enum WaitsFor \{([^}]*)\}/.exec(source);
    const names = Array.from(body.matchAll(/^ +([A-Z]\w*)/gm), ([, name]) => name);
    assert.equal(names.at(-1), 'CheckPhase');
    // In a process of its own, as the file opens an event loop, of the host that index.js chooses.
    const log = path.join(ROOT, 'lib', 'loop', 'waiting-log.js');
    const [index, file] = [path.join(ROOT, 'index.js'), log].map((each) => JSON.stringify(each));
    const program = `require(${index}); Object.keys(require(${file}).CONDITIONS).join()`;
    const { stdout } = await run({ path: process.execPath }, ['-p', program]);
    assert.equal(stdout.trim(), names.slice(1).map((_, index) => index + 1).join());
  });
});

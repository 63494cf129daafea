'use strict';

// Each worker has a scheduler of its own and can end at any moment. The programs are in
// fixtures/scenarios/, named by the guarantees.

const { LIMIT, assertOnEachNode, order, run, testScenarios } = require('../helpers/loop.js');
const path = require('node:path');

describe('workers', () => {
  testScenarios('worker');

  it('the addon can be loaded again after the only environment that had it has ended', async () => {
    const body = path.join(__dirname, '..', 'fixtures', 'worker-body.js');
    const script = `
      const { Worker } = require('node:worker_threads');
      let left = 3;
      (function next() {
        const worker = new Worker(${JSON.stringify(body)}, { workerData: { body: 'tasks' } });
        worker.on('message', (ran) => require('fs').writeSync(1, ran + ' '));
        worker.on('exit', (code) => code === 0 && --left > 0 && next());
      })();`;
    const expected = 'user-blocking,user-visible,background,delayed,yield '.repeat(3);
    await assertOnEachNode(expected, (node) => order(node, ['-e', script], expected));
  });

  // For 1000 workers and a stricter limit run: node test/soak/workers.js
  it('sixty workers that end in every state leave no more memory behind than one', async () => {
    const soak = path.join(__dirname, '..', 'soak', 'workers.js');
    // A worker that is not freed leaves some megabytes behind.
    await assertOnEachNode([0, null, ''], async (node) => {
      const { code, signal, stderr } = await run(node, [soak, '60', '1024']);
      return [code, signal, stderr];
    });
  }).timeout(4 * LIMIT);
});

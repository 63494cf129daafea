'use strict';

// Each worker has a scheduler of its own and can end at any moment. The programs are in
// fixtures/scenarios/, named by the guarantees. tasks/memory.test.js tests what they leave behind.
// @lane waiting
// @host programs each-node runtimes

const { assertOnEachNode, order, testScenarios } = require('../helpers/loop.js');
const path = require('node:path');

describe('workers', () => {
  testScenarios('worker');

  it('the addon can be loaded again after all that had it have ended @file-of-addon', async () => {
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
    await assertOnEachNode(expected, (node) => order(node, ['-e', script]));
  });
});

'use strict';

// Each worker and each process of a cluster watches its own tasks. Their traces are in
// trace.test.js.

const path = require('node:path');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../helpers/loop.js');

const PROGRAM = path.join(FIXTURES, 'watched.js');

// Posted and ended by the channels, the first and the last number; completed, queued, delays and
// durations by the monitor, and whether its time is that of the environment.
const all = (count) => [count, count, 1, count, count, 0, count, count, true].join();

describe('the channels and a monitor tell the tasks of', () => {
  for (const [title, kind] of [
    ['each worker from those of the others', 'threads'],
    ['each process of a cluster from those of the others', 'processes'],
  ]) {
    it(title, async () => {
      const stdout = `${[3, 5, 8].map(all).join(' ')}\n`;
      await assertOnEachNode({ code: 0, signal: null, stdout, stderr: '' }, (node) => {
        return run(node, [PROGRAM, kind]);
      });
    }).timeout(4 * LIMIT);
  }
});

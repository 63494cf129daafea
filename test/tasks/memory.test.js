'use strict';

// Tasks, signals and workers that have run, were aborted or were dropped leave no memory behind.
// Runs the programs of soak/ with fewer items: one of them on this Node, and in a matrix all of
// them on the newest. `npm run check soak` runs them in full.
// @lane long

const path = require('node:path');
const { ENDS, assertOnEachNode, nodes, run } = require('../helpers/loop.js');

const TITLES = {
  tasks: 'tasks that have run leave no memory behind, whatever their kind',
  signals: 'signals that are dropped, their queues and what waits leave no memory behind',
  watching: 'watching leaves no memory behind, and a trace holds none',
  floods: 'what waits at once runs in order, and its memory is given back',
  workers: 'workers that end in every state leave no more memory behind than one',
};

// The divisor of the counts. Leaks outside the JavaScript heap show only with many items. Of
// workers their number, and how many KiB each may leave: one that is not freed leaves megabytes.
const ARGUMENTS = { tasks: ['10'], floods: ['100'], watching: ['200'], workers: ['60', '1024'] };
const DIVISOR = '50';

const MAJOR = Number.parseInt(process.versions.node, 10);
const OWN = nodes.find(({ major }) => major === MAJOR) ?? nodes.at(-1);
const NAMES = ENDS === undefined ? ['tasks'] : OWN.major === ENDS.at(-1) ? Object.keys(TITLES) : [];

describe('memory over many items', () => {
  for (const name of NAMES) {
    it(TITLES[name], async () => {
      const program = path.join(__dirname, '..', 'soak', `${name}.js`);
      const args = ['--expose-gc', program, ...(ARGUMENTS[name] ?? [DIVISOR])];
      const work = async (node) => {
        const { code, signal, stdout, stderr } = await run(node, args);
        return code === 0 && signal === null && stderr === '' ? 'flat' : { stdout, stderr, code };
      };
      await assertOnEachNode('flat', work, { on: [OWN] });
    }).timeout(120_000);
  }
});

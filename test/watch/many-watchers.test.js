'use strict';

// Many monitors, traces, reports and exporters at once: they share what Node has one of, and each
// gets the end of the process.

const fs = require('node:fs');
const path = require('node:path');
const { withFolder } = require('../helpers/folders.js');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../helpers/loop.js');

const PROGRAM = path.join(FIXTURES, 'many-watchers.js');
const MANY = 11;

// Runs the program on each Node, with a folder of its own, and asserts what `read` returns.
function assertResult(expected, name, read) {
  return assertOnEachNode(expected, (node) => withFolder(async (folder) => {
    return read(await run(node, [PROGRAM, name, folder]), folder);
  }));
}

describe('eleven of each that watches', () => {
  it('have one listener on the process, and none when they have stopped', async () => {
    const expected = { code: 0, signal: null, stdout: '1 0\n', stderr: '' };
    await assertResult(expected, 'stop', (result) => result);
  }).timeout(4 * LIMIT);

  it('end with the process, each of them, also inside of a task and if one throws', async () => {
    const numbers = Array.from({ length: MANY }, (_, i) => i);
    const expected = {
      code: 1,
      reports: numbers.map((i) => `last ${i}`),
      error: true,
      traces: numbers.map(() => true),
    };
    await assertResult(expected, 'exit', ({ code, stdout, stderr }, folder) => ({
      code,
      reports: stdout.trim().split('\n'),
      error: stderr.includes('from a report'),
      traces: numbers.map((i) => {
        const events = JSON.parse(fs.readFileSync(path.join(folder, `${i}.json`), 'utf8'));
        return events.some(({ ph, name }) => ph === 'X' && name === 'last');
      }),
    }));
  }).timeout(4 * LIMIT);
});

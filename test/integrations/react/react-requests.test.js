'use strict';

// The sections of <Scheduled> take turns as the tasks of their requests do. React is real, and so
// are the server and its visitors.

const path = require('node:path');
const { FIXTURES, LIMIT, assertOnEnds, run } = require('../../helpers/loop.js');

const PROGRAM = path.join(FIXTURES, 'react', 'requests.js');

const prints = (stdout, ...args) => assertOnEnds(
  { code: 0, signal: null, stdout, stderr: '' },
  (node) => run(node, [PROGRAM, ...args]),
);

const SOURCES = [
  ['task', 'that are rendered in tasks of requests'],
  ['signal', 'with signals of requests'],
  ['admission', 'of admitted requests'],
];

describe('the sections of <Scheduled>', () => {
  for (const [source, which] of SOURCES) {
    it(`${which} of one size: those of one request come before those of the next`, async () => {
      const [first, second] = ['first', 'second'].map((name) =>
        `${name} 0, ${name} 1, ${name} inner, ${name} inner`);
      await prints(`${first}, ${second}\n`, 'equals', source);
    }).timeout(4 * LIMIT);

    it(`${which}: those of a short page come before those of a long one`, async () => {
      await prints('3 true\n', 'short', source);
    }).timeout(4 * LIMIT);
  }
});

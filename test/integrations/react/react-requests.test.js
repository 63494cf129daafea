'use strict';

// The sections of <Scheduled> take turns as the tasks of their requests do. React is real, and so
// are the server and its visitors: fixtures/react-requests.js.

const path = require('node:path');
const { FIXTURES, testTogether } = require('../../helpers/loop.js');

const SOURCES = [
  'that are rendered in tasks of requests', 'with signals of requests', 'of admitted requests',
];

const inTurn = ['first', 'second'].flatMap((name) =>
  [`${name} 0`, `${name} 1`, `${name} inner`, `${name} inner`]);

describe('the sections of <Scheduled>', () => {
  testTogether([path.join(FIXTURES, 'react-requests.js')], Object.fromEntries(
    SOURCES.flatMap((which) => [
      [`${which} of one size: those of one request come before those of the next`, inTurn],
      [`${which}: those of a short page come before those of a long one`, [3, true]],
    ]),
  ));
});

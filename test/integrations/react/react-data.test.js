'use strict';

// <Scheduled> with each renderer of React: sections that wait for data, renders that were started
// in a task, and copies of React. One program runs all scenarios of fixtures/react/scenarios.js.

const path = require('node:path');
const { FIXTURES, endNodes, nodes, testTogether } = require('../../helpers/loop.js');
const { scenariosOf } = require('../../fixtures/react/scenarios.js');

// React has a build for each mode, and a renderer for HTML and one for server components. In
// mocha's process, as in react.test.js, it is the development build for HTML.
const PROGRAMS = [
  ['production', 'HTML'],
  ['development', 'server components'],
  ['production', 'HTML', 'copy'],
  ['development', 'HTML', 'copy'],
  ['production', 'server components', 'copy'],
];

for (const [mode, renderer, variant] of PROGRAMS) {
  describe(`<Scheduled> (${mode}, ${renderer}, ${variant ?? 'one copy of React'})`, () => {
    const isServer = renderer !== 'HTML';
    const flags = isServer ? ['--conditions=react-server'] : [];
    const args = [...flags, path.join(FIXTURES, 'react', 'scenarios.js')];
    if (variant !== undefined) args.push(variant);
    const scenarios = scenariosOf({ isServer, isCopy: variant === 'copy' });
    const expected = scenarios.map(([name, each]) => [name, each.expected]);
    const env = { ...process.env, NODE_ENV: mode };
    const on = variant === undefined ? nodes : endNodes;
    testTogether(args, Object.fromEntries(expected), { env, on });
  });
}

'use strict';

// <Scheduled> with each renderer of React: sections that wait for data, renders that were started
// in a task, and copies of React. One program runs all scenarios of fixtures/react/scenarios.js.

const assert = require('node:assert/strict');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { use } = require('react');
const { renderToReadableStream } = require('react-dom/server');
const { prerender, prerenderToNodeStream } = require('react-dom/static');
const { scheduler } = require('../../..');
const { FIXTURES, LIMIT, endNodes, nodes, testTogether } = require('../../helpers/loop.js');
const { scenariosOf } = require('../../fixtures/react/scenarios.js');
const { page } = require('../../helpers/react.js');

// React has a build for each mode, and a renderer for HTML and one for server components. In
// mocha's process it is the development build for HTML.
const PROGRAMS = [
  ['production', 'HTML'],
  ['development', 'server components'],
  ['production', 'HTML', 'copy'],
  ['development', 'HTML', 'copy'],
  ['production', 'server components', 'copy'],
];

for (const [mode, renderer, variant] of PROGRAMS) {
  const title = [mode, renderer, ...(variant === undefined ? [] : ['another copy of React'])];
  describe(`<Scheduled> (${title.join(', ')})`, () => {
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

describe('<Scheduled>', () => {
  const functions = {
    renderToReadableStream: async (element) => text(await renderToReadableStream(element)),
    prerender: async (element) => text((await prerender(element)).prelude),
    prerenderToNodeStream: async (element) => text((await prerenderToNodeStream(element)).prelude),
  };
  for (const [name, render] of Object.entries(functions)) {
    it(`has the priority of the task of its render in ${name}()`, async () => {
      const log = [];
      const visit = () => render(page(3, (number) => log.push(`v${number}`)));
      let visited;
      await scheduler.postTask(() => render(page(3, (number) => {
        log.push(`c${number}`);
        if (number === 0) visited = scheduler.postTask(visit);
      })), { priority: 'background' });
      await visited;
      assert.deepEqual(log, ['c0', 'v0', 'v1', 'v2', 'c1', 'c2']);
    });
  }

  it('lets sections wait for data that sections of another page give', async () => {
    const menu = {};
    menu.promise = new Promise((resolve) => (menu.give = resolve));
    const show = (element) => functions.renderToReadableStream(element);
    const readers = page(20, () => use(menu.promise));
    const givers = page(20, (number) => {
      if (number === 19) menu.give('menu');
      return number;
    });
    // The readers, which wait, have begun first.
    const [html] = await Promise.all([show(readers), show(givers)]);
    assert.equal(html.match(/<p>menu<\/p>/g).length, 20);
  }).timeout(LIMIT);
});

'use strict';

// <Scheduled> where React goes on late: sections that wait for data, renders that were started in a
// task, and copies of React. The output of each program of test/fixtures/react is the same for HTML
// and for server components, in both modes of React.

const assert = require('node:assert/strict');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { use } = require('react');
const { renderToReadableStream } = require('react-dom/server');
const { prerender, prerenderToNodeStream } = require('react-dom/static');
const { scheduler } = require('../../..');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../../helpers/loop.js');
const { page } = require('../../helpers/react.js');

const RENDERERS = {
  HTML: [[], []],
  'server components': [['--conditions=react-server'], ['react-server-dom-parcel/server']],
};

const ONE_BY_ONE = '1 1 1 1 1 1 1 1 1 1';

function testPrograms(title, name, stdoutOf) {
  for (const [renderer, [flags, args]] of Object.entries(RENDERERS)) {
    for (const mode of ['development', 'production']) {
      it(`${title} (${renderer}, ${mode})`, async () => {
        const stdout = `${stdoutOf(renderer).join('\n')}\n`;
        const env = { ...process.env, NODE_ENV: mode };
        await assertOnEachNode({ code: 0, signal: null, stdout, stderr: '' }, (node) => {
          return run(node, [...flags, path.join(FIXTURES, 'react', name), ...args], { env });
        });
      }).timeout(4 * LIMIT);
    }
  }
}

describe('<Scheduled>', () => {
  const forms = ['directly', 'deep', 'a promise of its own', 'rows together'];
  const asyncForms = ['what an async component returns', 'async components without data'];
  const lineOf = (name) => `${name}: ${ONE_BY_ONE} (10)`;
  testPrograms('renders sections that wait for one promise one by one', 'data.js', (renderer) => {
    return [...forms, ...(renderer === 'HTML' ? [] : asyncForms)].map(lineOf);
  });

  testPrograms('has the priority and the signal of the task of its render', 'origin.js', () => [
    'a crawler gives way: c0 v0 v1 v2 v3 c1 c2 c3',
    'after an await: c0 v0 v1 v2 v3 c1 c2 c3',
    'after a question: c0 v0 v1 v2 v3 c1 c2 c3',
    'a visitor leaves: v0 v1 v2 v3 l0 l1 l2 17 left',
    'null is no signal: n0 n1 n2',
    'the priority changes: r0 r1 r2 r3 b0 b1 b2 b3',
    'props come first: p3 p7 p2 p6 p0 p1 p4 p5',
    'a signal alone: v0 v1 s2 s5 s0 s1 s3 s4',
    'outside of tasks: o0 o1 b0 b1',
  ]);

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

  testPrograms('renders sections one by one with another copy of React', 'copy.js', (renderer) => [
    'true',
    '10',
    ONE_BY_ONE,
    ...(renderer === 'HTML' ? ['true'] : []),
    ONE_BY_ONE,
  ]);
});

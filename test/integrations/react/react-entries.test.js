'use strict';

// The entry points of uv-scheduler/react: none but those for Node load the addon, and in browsers
// the component hydrates what a server has rendered. browser/entries.test.js has the conditions.

const assert = require('node:assert/strict');
const vm = require('node:vm');
const { StrictMode, useId, useState } = require('react');
const { LIMIT, ROOT, assertOnEachNode, run } = require('../../helpers/loop.js');
const { h, page, render } = require('../../helpers/react.js');

const browser = require('../../../dist/react-browser.js');
const node = require('uv-scheduler/react');

describe('uv-scheduler/react', () => {
  it('is a <Suspense> with the children themselves while the scheduler is off', async () => {
    const code = `
      const { Suspense } = require('react');
      for (const file of ['react', 'react-server']) {
        const { Scheduled } = require('${ROOT}/dist/' + file + '.js');
        const { type, props } = Scheduled({ fallback: 'later', children: 'text' });
        console.log(type === Suspense, props.fallback, props.children);
      }`;
    const env = { ...process.env, UV_SCHEDULER_DISABLE: 'all' };
    const line = 'true later text\n';
    const expected = { code: 0, signal: null, stdout: line.repeat(2), stderr: '' };
    await assertOnEachNode(expected, (each) => run(each, ['-e', code], { env }));
  }).timeout(4 * LIMIT);

  // By the file that is bundled, the program that loads it.
  const LOADING = {
    'dist/react-browser.mjs': `
      import { createElement } from 'react';
      import { Scheduled } from 'uv-scheduler/react';`,
    'dist/react-browser.js': `
      const { createElement } = require('react');
      const { Scheduled } = require('uv-scheduler/react');`,
  };
  for (const [file, loading] of Object.entries(LOADING)) {
    it(`can be bundled for browsers, without the addon and any module of Node (${file})`, () => {
      const contents = `${loading}
        globalThis.element = createElement(Scheduled, { priority: 'background' }, 'text');
        globalThis.shown = Scheduled(globalThis.element.props);`;
      const { outputFiles, metafile } = require('esbuild').buildSync({
        stdin: { contents, resolveDir: __dirname },
        bundle: true,
        platform: 'browser',
        metafile: true,
        write: false,
        logLevel: 'error',
        define: { 'process.env.NODE_ENV': '"production"' },
      });
      const isOwn = (name) => !/node_modules|stdin/.test(name);
      assert.deepEqual(Object.keys(metafile.inputs).filter(isOwn), [file]);
      // Nothing of Node is there.
      const context = vm.createContext({ queueMicrotask, MessageChannel: undefined });
      vm.runInContext(outputFiles[0].text, context);
      assert.equal(context.shown.type, Symbol.for('react.suspense'));
      assert.equal(context.shown.props.children, 'text');
      assert.equal(context.element.type.displayName, 'Scheduled');
    });
  }
});

describe('<Scheduled> in a client', () => {
  const descriptors = new Map();
  let document;
  let ReactDOM;

  // React looks for the globals of a browser when it is loaded and when it renders.
  before(() => {
    const { Window } = require('happy-dom');
    const window = new Window();
    ({ document } = window);
    const { navigator } = window;
    const globals = { window, document, navigator, IS_REACT_ACT_ENVIRONMENT: true };
    for (const [name, value] of Object.entries(globals)) {
      descriptors.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
    ReactDOM = require('react-dom/client');
  });

  after(async () => {
    await globalThis.window.happyDOM.close();
    for (const [name, descriptor] of descriptors) {
      if (descriptor === undefined) delete globalThis[name];
      else Object.defineProperty(globalThis, name, descriptor);
    }
  });

  const { act } = require('react');
  const Field = () => h('label', { htmlFor: useId() }, 'text');
  const tree = ({ Scheduled }) => {
    const sections = page(3, (number) => number, undefined, Scheduled);
    const fields = h(Scheduled, { fallback: 'wait' }, h(Field), h(Field));
    return h('div', null, h(Field), fields, sections);
  };

  for (const [name, entry] of Object.entries({ browsers: browser, Node: node })) {
    it(`hydrates what the server has rendered (the entry for ${name})`, async () => {
      const { html } = await render(h(StrictMode, null, tree(node)));
      const container = document.createElement('div');
      container.innerHTML = html;
      const first = container.querySelector('p');
      const errors = [];
      const onRecoverableError = (error) => errors.push(error);
      const onUncaughtError = onRecoverableError;
      const options = { onRecoverableError, onUncaughtError };
      const element = h(StrictMode, null, tree(entry));
      await act(async () => {
        ReactDOM.hydrateRoot(container, element, options);
        // The entry for Node opens the gates while React hydrates.
        await new Promise((resolve) => setTimeout(resolve, 50));
      });
      assert.deepEqual(errors, []);
      assert.equal(container.querySelector('p'), first);
      assert.equal(container.textContent, 'texttexttext012');
    });

    it(`renders its children at once, whenever React renders (the entry for ${name})`, async () => {
      let setNumber;
      const seen = [];
      const Counter = () => {
        const [number, set] = useState(0);
        setNumber = set;
        return h(entry.Scheduled, { fallback: 'wait' }, h('p', null, number));
      };
      const container = document.createElement('div');
      const root = ReactDOM.createRoot(container);
      const show = (change) => {
        act(change);
        seen.push(container.textContent);
      };
      show(() => root.render(h(StrictMode, null, h(Counter))));
      show(() => setNumber(1));
      show(() => setNumber(2));
      assert.deepEqual(seen, ['0', '1', '2']);
      act(() => root.unmount());
    });
  }

  it('renders in the browser what was aborted on the server', async () => {
    const signal = AbortSignal.abort('left');
    const element = ({ Scheduled }, props) => page(2, String, () => props, Scheduled);
    const { html, errors } = await render(element(node, { signal }));
    assert.deepEqual(errors, ['left', 'left']);
    const container = document.createElement('div');
    container.innerHTML = html;
    assert.equal(container.textContent, '01');
    assert.equal(container.querySelector('p'), null);
    const recovered = [];
    const onRecoverableError = ({ message }) => recovered.push(message);
    await act(async () => {
      ReactDOM.hydrateRoot(container, element(browser, {}), { onRecoverableError });
    });
    assert.deepEqual(Array.from(container.querySelectorAll('p'), (p) => p.textContent), ['0', '1']);
    assert.equal(recovered.length, 2);
  });
});

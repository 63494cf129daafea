'use strict';

// The entry points of uv-scheduler/react: each condition has its own, none but those for Node load
// the addon, and in browsers the component hydrates what a server has rendered.

const assert = require('node:assert/strict');
const path = require('node:path');
const vm = require('node:vm');
const { StrictMode, useId, useState } = require('react');
const { ROOT } = require('../../helpers/tasks.js');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../../helpers/loop.js');
const { h, page, render } = require('../../helpers/react.js');

const browser = require('../../../dist/react-browser.js');
const node = require('uv-scheduler/react');

// The path of the file that `uv-scheduler/react` leads to under some conditions.
function resolved(conditions, kind) {
  const { exports: exported } = require('../../../package.json');
  const choose = (target) => {
    if (typeof target === 'string') return target;
    const name = Object.keys(target).find((each) => [...conditions, kind].includes(each));
    return choose(target[name ?? 'default']);
  };
  return choose(exported['./react']);
}

describe('uv-scheduler/react', () => {
  const ENTRIES = [
    [['node'], 'require', './dist/react.js'],
    [['react-server', 'node'], 'import', './dist/react-server.js'],
    [['browser'], 'import', './dist/react-browser.mjs'],
    [['browser'], 'require', './dist/react-browser.js'],
    [['edge-light'], 'import', './dist/react-browser.mjs'],
    [['react-server', 'edge-light'], 'import', './dist/react-browser.mjs'],
    [['types', 'browser'], 'import', './integrations/react/index.d.ts'],
  ];
  for (const [conditions, kind, file] of ENTRIES) {
    it(`is ${file} for ${kind} under ${conditions.join(' and ')}`, () => {
      assert.equal(resolved(conditions, kind), file);
    });
  }

  it('loads neither the addon nor the scheduler with the entries for browsers', async () => {
    const code = `
      for (const kind of ['js', 'mjs']) {
        const { Scheduled } = await import('${ROOT}/dist/react-browser.' + kind);
        console.log(Scheduled({}).type === (await import('react')).Suspense);
      }
      const { createRequire } = await import('node:module');
      const loaded = Object.keys(createRequire('${ROOT}/index.js').cache);
      console.log(loaded.filter((file) => /\\.node$|dist.index\\.js$/.test(file)).length);
      console.log(Symbol.for('uv-scheduler.binding') in globalThis);`;
    const expected = { code: 0, signal: null, stdout: 'true\ntrue\n0\nfalse\n', stderr: '' };
    await assertOnEachNode(expected, (each) => run(each, ['--input-type=module', '-e', code]));
  }).timeout(4 * LIMIT);

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

  it('can be bundled for browsers, without any module of Node', () => {
    const { outputFiles, metafile } = require('esbuild').buildSync({
      entryPoints: [path.join(FIXTURES, 'react', 'browser.mjs')],
      bundle: true,
      platform: 'browser',
      metafile: true,
      write: false,
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    const isOwn = (name) => !/node_modules|fixtures/.test(name);
    assert.deepEqual(Object.keys(metafile.inputs).filter(isOwn), ['dist/react-browser.mjs']);
    // Nothing of Node is there.
    const context = vm.createContext({ queueMicrotask, MessageChannel: undefined });
    vm.runInContext(outputFiles[0].text, context);
    assert.equal(context.shown.type, Symbol.for('react.suspense'));
    assert.equal(context.shown.props.children, 'text');
    assert.equal(context.element.type.displayName, 'Scheduled');
  });
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

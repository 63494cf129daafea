'use strict';

// react-dom's client on the global scheduler: a transition of many items, which urgent updates
// interrupt, and a Suspense boundary.

const calls = require('./calls.js');
const { busy, log } = require('../../../fixtures/order.js');
const Module = require('node:module');

const window = require('./jsdom.js');

// The lines that a program needs to run React on the global scheduler. A bundler has an alias.
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const name = request === 'scheduler' ? 'scheduler/unstable_post_task' : request;
  return resolve.call(this, name, ...rest);
};

const { Suspense, createElement, startTransition, use, useLayoutEffect, useState } =
  require('react');
const { createRoot } = require('react-dom/client');

const { document } = window;
const { scheduler } = globalThis;

const ITEMS = 100;
const container = document.body.appendChild(document.createElement('div'));

let rendered = 0;
let update;

// Long enough that a transition takes many tasks.
function Item({ index, version }) {
  if (version > 0) {
    rendered++;
    busy(0.5);
  }
  return createElement('li', null, `${index}.${version}`);
}

function List({ version }) {
  useLayoutEffect(() => log(`list ${version}`), [version]);
  const items = Array.from({ length: ITEMS }, (_, index) => {
    return createElement(Item, { key: index, index, version });
  });
  return createElement('ul', null, items);
}

function Counter() {
  const [count, setCount] = useState(0);
  const add = () => setCount((old) => old + 1);
  useLayoutEffect(() => log(`count ${count}`), [count]);
  return createElement('button', { onClick: add, onMouseMove: add }, count);
}

function Details({ promise }) {
  return createElement('p', null, use(promise));
}

function App() {
  const [{ version, promise }, set] = useState({ version: 0 });
  update = set;
  const fallback = createElement('p', null, 'loading');
  const details = promise && createElement(Details, { promise });
  return createElement('main', null,
    createElement(Counter),
    createElement(List, { version }),
    createElement(Suspense, { fallback }, details));
}

const text = (selector) => document.querySelector(selector)?.textContent;
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function until(condition) {
  while (!condition()) await wait(1);
}

function dispatch(type) {
  const event = new window.MouseEvent(type, { bubbles: true });
  document.querySelector('button').dispatchEvent(event);
}

async function main() {
  createRoot(container).render(createElement(App));
  await until(() => text('button') === '0');
  const before = { ...calls };

  startTransition(() => update({ version: 1 }));
  await until(() => rendered > 0);
  log(rendered < ITEMS ? 'interrupted' : 'finished');
  // React renders an update by a click at once, and one by a movement in a user-blocking task.
  dispatch('click');
  await wait(0);
  dispatch('mousemove');
  await until(() => text('li') === '0.1');
  log(text('li:last-child'));
  log(calls.postTask >= before.postTask + 2 ? 'posted' : 'never posted');
  log(calls.yield >= before.yield + 3 ? 'yielded' : 'never yielded');

  const promise = scheduler.postTask(() => 'details', { priority: 'background', delay: 20 });
  update({ version: 1, promise });
  await until(() => text('p') !== undefined);
  log(text('p'));
  await until(() => text('p') !== 'loading');
  log(text('p'));
}

main();

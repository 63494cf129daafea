'use strict';

// Finds the longest pieces of the documentation site: what holds the thread and cannot be
// interrupted. Serves the site in this process under the load of `npm start`, and times each piece.
// What runs between two polls of the loop is at most one time slice and such pieces.
//
//   node bench/ssr/pieces.js [seconds] [strategy]

// React reads this when it is loaded.
process.env.NODE_ENV = 'production';

const http = require('node:http');
const net = require('node:net');
const path = require('node:path');
const { PerformanceObserver, constants } = require('node:perf_hooks');

const { quantile } = require('simple-statistics');

const { createChildren } = require('../../examples/docs-site/children');
const { number } = require('../../examples/docs-site/format');
const { table } = require('../../examples/docs-site/report');

const { startChild, finish } = createChildren('pieces');

const LOAD = path.join(__dirname, '../../examples/docs-site/load.js');

// The times of all pieces in ms, by their labels.
const pieces = new Map();
let isTiming = false;

function note(label, ms) {
  if (!isTiming) return;
  if (!pieces.has(label)) pieces.set(label, []);
  pieces.get(label).push(ms);
}

function timed(label, fn) {
  return function (...args) {
    const begin = performance.now();
    try {
      return Reflect.apply(fn, this, args);
    } finally {
      note(label, performance.now() - begin);
    }
  };
}

function timeMethod(object, name, label) {
  object[name] = timed(label, object[name]);
}

/** Has to come before React is loaded, which keeps these two functions. */
function timeReact() {
  for (const name of ['queueMicrotask', 'setImmediate']) {
    const original = globalThis[name];
    globalThis[name] = (fn, ...args) => original(
      /performWork/.test(fn) ? timed('React: shell or sections', fn) : fn, ...args);
  }
}

/** Times each step of the rendering of a section. */
function timeMarkdown() {
  const markdown = require('../../examples/docs-site/markdown');
  const { loadMarkdown } = markdown;
  markdown.loadMarkdown = async () => {
    const { renderSection, ...rest } = await loadMarkdown();
    return {
      ...rest,
      * renderSection(...args) {
        const steps = renderSection(...args);
        const next = timed('section: a step', () => steps.next());
        for (let step = next(); !step.done; step = next()) yield step.value;
      },
    };
  };
}

function timeGarbage() {
  const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_MINOR } = constants;
  const kinds = new Map([
    [NODE_PERFORMANCE_GC_MINOR, 'garbage: young'],
    [NODE_PERFORMANCE_GC_MAJOR, 'garbage: all'],
  ]);
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries()) {
      note(kinds.get(detail.kind) ?? 'garbage: other', duration);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
}

function timeAll() {
  timeReact();
  timeMarkdown();
  timeGarbage();
  timeMethod(require('minisearch').prototype, 'add', 'index: a piece');
  timeMethod(net.Socket.prototype, '_writev', 'socket: write');
  const { emit } = http.Server.prototype;
  const request = timed('request', emit);
  http.Server.prototype.emit = function (name, ...args) {
    return Reflect.apply(name === 'request' ? request : emit, this, [name, ...args]);
  };
}

const COLUMNS = [
  { head: 'piece', value: ({ label }) => label },
  { head: 'count', value: ({ times }) => String(times.length) },
  { head: 'in all ms', value: ({ times }) => number(times.reduce((a, b) => a + b)) },
  { head: 'p50 ms', value: ({ times }) => number(quantile(times, 0.5)) },
  { head: 'p99 ms', value: ({ times }) => number(quantile(times, 0.99)) },
  { head: 'longest ms', value: ({ times }) => number(quantile(times, 1)) },
];

async function main([seconds = '5', strategy = 'prioritized']) {
  timeAll();
  const { startServer } = require('../../examples/docs-site/server');
  const strategies = require('../../examples/docs-site/strategies');
  const { index, site, url } = await startServer(strategies[strategy]);
  const paths = site.documents.map((doc) => doc.url);
  const load = startChild(LOAD);
  await load.ask({ command: 'hashPages', url, paths, times: 2 });
  index.start({ again: true });
  isTiming = true;
  const { result } = await load.ask({ command: 'visit', url, paths, seconds: Number(seconds) });
  isTiming = false;
  const rows = Array.from(pieces, ([label, times]) => ({ label, times }))
    .sort((a, b) => quantile(b.times, 0.99) - quantile(a.times, 0.99));
  const [p50, p99] = quantile(result.health, [0.5, 0.99]);
  process.stdout.write(
    `${table(COLUMNS, rows)}\n\n/health: p50 ${number(p50)} ms, p99 ${number(p99)} ms\n`);
  finish();
  process.exit();
}

main(process.argv.slice(2)).catch((error) => {
  finish(error);
  process.exit();
});

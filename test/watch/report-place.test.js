'use strict';

// The place that uv-scheduler/report names, from the functions and the stack of a callback.

const assert = require('node:assert/strict');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { ROOT } = require('../helpers/loop.js');
const { describe: nameOf, isOfReport, kindOf, placeIn } =
  require('../../integrations/report/place.js');

const NEXT = path.join(ROOT, 'node_modules', 'next', 'dist', 'compiled', 'next-server',
  'app-page-turbo.runtime.prod.js');
const PAGE = path.join(process.cwd(), 'page.js');
const UNDICI = 'node:internal/deps/undici/undici';
const OWN = require.resolve('../../integrations/report/place.js');

const frame = (functionName, scriptName, times, columnNumber = 10) => {
  return { functionName, scriptName, lineNumber: 2, columnNumber, self: 0, total: 100, ...times };
};

describe('the lines of a place that blocks the thread each second', () => {
  const { Place } = require('../../integrations/report/report.js');

  // The numbers of lines in each hour, and of the callbacks that they tell of.
  function linesOf(seconds, place = new Place(frame('page', PAGE), 'code', false)) {
    const lines = [];
    for (const second of seconds) {
      if (!place.takesLine({ startedAt: second * 1000, duration: 60 + second % 7 })) continue;
      lines.push({ second, more: place.unshown, worst: place.worstUnshown });
      place.shown();
    }
    return lines;
  }

  const HOUR = 3600;
  const each = Array.from({ length: 5 * HOUR }, (_, second) => second);

  it('are one at once, some in the first hour, and then one an hour', () => {
    const lines = linesOf(each);
    const inHour = each.slice(0, 5).map((hour) =>
      lines.filter(({ second }) => Math.floor(second / HOUR) === hour).length);
    assert.equal(lines[0].second, 0);
    assert.ok(inHour[0] <= 30 && inHour.slice(1).every((number) => number <= 1), inHour.join());
    assert.ok(lines.slice(1).every(({ second }, i) => second - lines[i].second >= 60));
    assert.deepEqual(lines[1], { second: 60, more: 59, worst: 66 });
  });

  it('begin anew when it was quiet for an hour longer than it had to be', () => {
    const lines = linesOf([0, 1, 60, 2 * HOUR, 2 * HOUR + 60]);
    assert.deepEqual(lines.map(({ second }) => second), [0, 60, 2 * HOUR, 2 * HOUR + 60]);
  });
});

it('a route is that of a health check if the guard lets it pass by', () => {
  const { isHealthCheck } = require('../../integrations/report/route.js');
  const found = ['GET /healthz', 'HEAD /api/ready', 'POST /ping', 'GET /healthy-food', 'rebuild'];
  assert.deepEqual(found.map(isHealthCheck), [true, true, false, false, false]);
});

describe('the place of a callback', () => {
  it('is one for all functions of a minified file of a package', () => {
    const names = ['e', 'aS'].map((name, i) => {
      const inner = frame(name, NEXT, { self: 60 }, 90_000 + i);
      const entry = { duration: 100, functions: [inner], stack: [inner] };
      assert.equal(kindOf(entry, placeIn(entry)), 'react');
      return nameOf(placeIn(entry));
    });
    const file = path.relative(process.cwd(), NEXT);
    assert.deepEqual(names, [`minified code (${file})`, `minified code (${file})`]);
  });

  it('has a column in a minified file of the program', () => {
    const file = path.join(process.cwd(), 'chunks', 'page.js');
    const place = placeIn({ duration: 100, functions: [frame('r', file, { self: 60 }, 4000)] });
    assert.equal(nameOf(place), `r (${path.join('chunks', 'page.js')}:2:4000)`);
  });

  it('has a short name, also for the source of a regular expression', () => {
    const place = frame(`RegExp: ${'(a+)'.repeat(100)}`, '');
    assert.equal(nameOf(place), `${place.functionName.slice(0, 60)}…`);
  });

  it('is a garbage collection if no code of the program or of a package is known', () => {
    const timers = frame('listOnTimeout', 'node:internal/timers', { self: 50, total: 100 });
    const garbage = frame('(garbage collector)', '', { self: 900, total: 900 });
    const entry = { duration: 1000, functions: [garbage, timers], stack: [timers] };
    assert.equal(nameOf(placeIn(entry)), '(garbage collector)');
    assert.equal(kindOf(entry, placeIn(entry)), 'garbage-collection');
    const page = frame('page', PAGE, { self: 1, total: 2 });
    assert.equal(placeIn({ ...entry, stack: [page, timers] }), page);
  });

  it('is a garbage collection that left too little time for another place', () => {
    const page = frame('page', PAGE, { self: 10, total: 10 });
    const garbage = frame('(garbage collector)', '', { self: 90, total: 90 });
    const entry = { duration: 100, functions: [garbage, page], stack: [page] };
    assert.equal(placeIn(entry), garbage);
    garbage.self = 9000;
    page.self = page.total = 1000;
    assert.equal(placeIn({ ...entry, duration: 10_000 }), page);
  });

  it('is a render of React in Next.js only for pages', () => {
    const file = NEXT.replace('app-page', 'app-route');
    const route = frame('r', path.join(process.cwd(), 'route.js'), { self: 90 });
    const entry = { duration: 100, functions: [route], stack: [route, frame('do', file)] };
    assert.equal(kindOf(entry, placeIn(entry)), 'code');
  });

  it('is loading of modules if it is the module of a package, or requires one', () => {
    const module = { ...frame('', NEXT, { self: 90 }, 1), lineNumber: 1 };
    const entry = { duration: 100, functions: [module], stack: [module] };
    assert.equal(kindOf({ ...entry, stack: [] }, module), 'loading');
    assert.match(nameOf(placeIn(entry)), /^the module \(/);
    const page = frame('page', PAGE);
    const compile = frame('compile', path.join(ROOT, 'node_modules', 'a', 'b.js'), { self: 40 });
    const wrap = frame('wrapSafe', 'node:internal/modules/cjs/loader');
    const stack = [{ ...compile, total: 40 }, wrap, page, { ...wrap, functionName: 'load' }];
    assert.equal(kindOf({ duration: 100, functions: [compile], stack }, page), 'loading');
    assert.equal(kindOf({ duration: 100, functions: [page], stack: stack.slice(2) }, page), 'code');
  });

  it('is a regular expression if one took the time, and not a loop of many', () => {
    const page = frame('page', PAGE, { self: 5 });
    const kind = (self) => {
      const functions = [frame('RegExp: ^(a+)+$', '', { self, total: self }), page];
      return kindOf({ duration: 100, functions, stack: functions }, page);
    };
    assert.deepEqual([kind(95), kind(60)], ['regular-expression', 'code']);
  });

  it("is Node's work if no function of the program was on the stack", () => {
    const parse = frame('parseJSONFromBytes', UNDICI, { self: 90 });
    const page = frame('page', PAGE, { self: 5, total: 5 });
    const tick = frame('processTicksAndRejections', 'node:internal/process/task_queues');
    const entry = { duration: 100, functions: [parse, page], stack: [parse, tick] };
    assert.equal(placeIn(entry), parse);
    assert.equal(kindOf(entry, parse), 'json-parse');
    const wasm = { ...parse, functionName: 'wasm-function[20]', scriptName: 'wasm://wasm/1' };
    const read = { ...parse, functionName: 'consume' };
    for (const each of [wasm, read]) {
      const stack = [each, tick];
      assert.equal(placeIn({ ...entry, functions: [each, page], stack }), each);
      assert.equal(kindOf({ ...entry, functions: [each, page], stack }, each), 'node');
    }
    assert.equal(placeIn({ ...entry, stack: [parse, page, tick] }), page);
  });

  it('is work that Node does elsewhere in an asynchronous form', () => {
    const page = frame('page', PAGE, { self: 1 });
    const kinds = {
      'node:child_process': 'child-process',
      'node:internal/crypto/pbkdf2': 'crypto',
      'node:zlib': 'compression',
      'node:fs': 'file',
      '/app/node_modules/better-sqlite3/lib/methods/wrappers.js': 'sqlite',
      'node:net': 'native',
    };
    const found = Object.keys(kinds).map((file) => {
      const stack = [frame('a native call', '', { self: 99 }), frame('call', file), page];
      return kindOf({ duration: 100, functions: stack.slice(0, 1), stack }, page);
    });
    assert.deepEqual(found, Object.values(kinds));
  });

  it('is an execution of GraphQL in the executor of GraphQL Yoga', () => {
    const file = path.join(ROOT, 'node_modules', '@graphql-tools', 'executor', 'esm', 'execute.js');
    const fields = frame('executeFields', file, { self: 90 });
    const entry = { duration: 100, functions: [fields], stack: [fields] };
    assert.equal(kindOf(entry, placeIn(entry)), 'graphql');
  });

  it("is the report's own if its functions called what took the time", () => {
    const native = frame('profileEnd', '', { self: 95 });
    const stack = [native, frame('read', OWN), frame('listOnTimeout', 'node:internal/timers')];
    assert.equal(isOfReport({ duration: 100, functions: [native], stack }), true);
    // Node that imports a file has its address.
    stack[1].scriptName = pathToFileURL(OWN).href;
    assert.equal(isOfReport({ duration: 100, functions: [native], stack }), true);
    stack[1].total = 20;
    assert.equal(isOfReport({ duration: 100, functions: [native], stack }), false);
    const garbage = frame('(garbage collector)', '', { self: 70, total: 70 });
    assert.equal(isOfReport({ duration: 100, functions: [garbage, native], stack }), true);
  });
});

'use strict';

// What `uv-scheduler` is under the conditions of bundlers and test runners: in pages the browser's
// own scheduler, in a process of Node always the scheduler of Node, and on edge runtimes a reason.
// And what `uv-scheduler/react` is: where it runs with the addon, it has a component of its own.
// `uv-scheduler/watch` is where `uv-scheduler` is.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { gzipSync } = require('node:zlib');
const api = require('../..');
const { LIMIT, ROOT, assertOnEachNode, run } = require('../helpers/loop.js');
const { CODE } = require('../helpers/refusals.js');
const { fakePage } = require('../helpers/fake-page.js');

const SMALL = path.join(ROOT, 'dist', 'browser.mjs');
const MAX_SIZE = 4_096;

const OF_NODE = ['createScheduler', 'drain', 'configure', 'configuration', 'SharedTask'];

// The file that an entry point leads to under some conditions.
function resolved(entry, conditions) {
  const { exports: exported } = require('../../package.json');
  const choose = (target) => {
    if (typeof target === 'string') return target;
    const name = Object.keys(target).find((each) => conditions.includes(each));
    return choose(target[name ?? 'default']);
  };
  return choose(exported[entry]);
}

// By entry point and file, the conditions.
const ENTRIES = {
  '.': {
    './index.d.ts': ['types, browser, import', 'types, node, require'],
    './dist/index.js': [
      'node, import', 'node, require, module-sync', 'module, import',
      // Bundlers for servers.
      'node, module, import, webpack',
      // jest with jsdom.
      'browser, require', 'browser, import',
    ],
    // The last is a worker of a browser, by webpack.
    './dist/browser.mjs': [
      'browser, module, import', 'browser, module, require', 'worker, browser, module, import',
    ],
    './dist/edge.js': [
      'edge-light, worker, browser, module, import', 'workerd, worker, browser, module, import',
      'edge-light, react-server, import',
    ],
  },
  './watch': {
    './integrations/watch/index.d.ts': ['types, browser, import'],
    './dist/watch.js': [
      'node, import', 'node, require', 'bun, import', 'deno, import', 'browser, require',
    ],
    './dist/watch-browser.mjs': ['browser, module, import', 'worker, browser, module, import'],
    './dist/edge.js': ['edge-light, import', 'workerd, browser, import'],
  },
  './react': {
    './integrations/react/index.d.ts': ['types, browser, import'],
    './dist/react.js': ['node, require'],
    './dist/react-server.js': ['react-server, node, import'],
    './dist/react-browser.js': ['browser, require'],
    './dist/react-browser.mjs': [
      'browser, import', 'edge-light, import', 'react-server, edge-light, import',
    ],
  },
};

for (const [entry, files] of Object.entries(ENTRIES)) {
  for (const [file, cases] of Object.entries(files)) {
    it(`the entry point ${entry} is ${file} under ${cases.join('; ')}`, () => {
      for (const each of cases) assert.equal(resolved(entry, each.split(', ')), file, each);
    });
  }
}

describe('uv-scheduler is', () => {
  it('at most 4 kB in a page, compressed', () => {
    const size = gzipSync(fs.readFileSync(SMALL)).length;
    assert.ok(size <= MAX_SIZE, `${size} bytes`);
  });

  it('a reason on edge runtimes', () => assert.throws(() => require('../../dist/edge.js'), {
    code: CODE,
    message: /^uv-scheduler cannot run on an edge runtime: .*`runtime` of the route is 'nodejs'/,
  }));
});

describe('the entry for browsers', () => {
  let apiOf;
  let apiOfNode;

  before(async () => {
    ({ apiOf } = await import('../../lib/browser/page.mjs'));
    ({ apiOfNode } = await import('../../lib/browser/node.mjs'));
  });

  it('has all exports of the entry for Node', async () => {
    const names = Object.keys(api).sort();
    assert.deepEqual(Object.keys(apiOf(fakePage())).sort(), names);
    const { default: whole, ...named } = await import(SMALL);
    assert.deepEqual(Object.keys(named).sort(), names);
    for (const name of names) assert.equal(whole[name], named[name]);
  });

  it('exports the scheduler and the interfaces of the page', () => {
    const page = fakePage();
    const found = apiOf(page);
    for (const name of Object.keys(found).filter((each) => /^Task|^Idle|^[Ss]ched/.test(each))) {
      assert.equal(found[name], page[name], name);
    }
    assert.deepEqual(Object.keys(page.scheduler), ['posted']);
    assert.equal(found.currentTaskSignal(), undefined);
    // A polyfill may not name its class.
    const unnamed = fakePage({ Scheduler: undefined });
    assert.equal(apiOf(unnamed).Scheduler, unnamed.scheduler.constructor);
  });

  it('refuses a page without a scheduler, or without yield(), and names the polyfill', () => {
    const expected = {
      code: CODE,
      message: 'uv-scheduler cannot run in this page: the browser has no scheduler with ' +
        "postTask() and yield(). Import the package 'scheduler-polyfill' before.",
    };
    for (const scheduler of [undefined, null, {}, { postTask() {} }]) {
      assert.throws(() => apiOf(fakePage({ scheduler })), expected);
    }
  });

  it('refuses what only Node has, or what this browser lacks, when it is called', () => {
    const names = ['requestIdleCallback', 'cancelIdleCallback', 'IdleDeadline', 'TaskSignal'];
    const found = apiOf(fakePage(Object.fromEntries(names.map((name) => [name, undefined]))));
    for (const name of [...OF_NODE, ...names]) {
      const why = names.includes(name) ? 'is missing in this browser' : 'runs in Node, Bun and ' +
        'Deno only';
      const expected = { code: CODE, message: `Failed to execute '${name}': it ${why}.` };
      assert.throws(() => found[name](), expected);
      assert.throws(() => new found[name](), expected);
    }
  });

  it('has idle callbacks that work with any receiver', () => {
    const page = fakePage();
    const found = apiOf(page);
    found.cancelIdleCallback(found.requestIdleCallback(() => {}));
    assert.equal(page.idleCallbacks.size, 0);
  });

  it('exports the scheduler of Node under any conditions of a process', async () => {
    // vitest passes those of its configuration to its processes.
    const code = `
      const { drain, scheduler } = require('uv-scheduler');
      const load = (name) => import(name);
      Promise.all(['uv-scheduler', 'uv-scheduler/watch'].map(load)).then(async ([named, watch]) => {
        const { completed } = await drain();
        const monitor = watch.monitorTasks();
        console.log(named.scheduler === scheduler, completed.background, monitor.enable());
      });`;
    for (const conditions of [['browser'], ['browser', 'module'], ['worker', 'module']]) {
      const flags = conditions.map((each) => `--conditions=${each}`);
      await assertOnEachNode({ code: 0, stdout: 'true 0 true\n' }, async (node) => {
        // Some versions warn of ES modules that are required.
        const { code: exitCode, stdout } = await run(node, [...flags, '-e', code], { cwd: ROOT });
        return { code: exitCode, stdout };
      });
    }
  }).timeout(LIMIT);

  it('uses the page also in a renderer of Electron, and beside a stand-in for process', () => {
    assert.equal(apiOfNode({ process }), api);
    const { versions, getBuiltinModule } = process;
    const others = [undefined, {}, { versions: {} }, { versions, getBuiltinModule: undefined },
      { versions, getBuiltinModule, type: 'renderer' },
      { versions, getBuiltinModule, type: 'worker' }];
    // The package is not installed there.
    others.push({ __proto__: process, cwd: () => '/absent' });
    for (const other of others) assert.equal(apiOfNode({ process: other }), undefined);
  });
});

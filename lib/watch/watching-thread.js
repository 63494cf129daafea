'use strict';

// Starts the threads that watch this one.

const { Worker } = require('node:worker_threads');
const { foreignName } = require('../loop/platform.js');
const { PROTOCOL } = require('../loop/protocol.js');
const { posted } = require('./channels.js');

// The threads that this copy has started.
const own = new WeakSet();
const isOwnThread = (worker) => own.has(worker);

// Evaluated in this thread by the inspector: the `shared` of channels.js.
const SHARED = `process.getBuiltinModule('node:diagnostics_channel')
  .channel('${posted.name}')[Symbol.for('uv-scheduler.watch.${PROTOCOL}')]`;

// Whether Node permits another thread.
const mayStart = () => process.permission?.has('worker') !== false;

// Why the inspector does not answer for this thread, if that is known. Node before 26 aborts the
// process if the inspector is asked without a permission.
function refusal() {
  if (foreignName !== undefined) return `${foreignName} tells no stack of another thread`;
  if (process.permission?.has('inspector') !== false) return undefined;
  return 'Node needs --allow-inspector';
}

// A bundler of the program that keeps the names of functions (esbuild's `keepNames`) has put calls
// of a helper of its own into each function: `helper(inner, "innerName")`. Returns a definition of
// it for another thread.
function helperOfBundler() {
  const sample = () => {
    function keptName() {}
    return keptName;
  };
  const [, helper] = /([\w$]+)\((?:[\w$]+|function[^]*),\s*"keptName"\)/.exec(`${sample}`) ?? [];
  return helper === undefined ? '' : `const ${helper} = (each) => each;`;
}

// Runs a function in a thread of its own, from its text, as a bundler of the program would not know
// a file: the function uses nothing outside of itself but its arguments, the functions `parts`,
// which do not either. The thread does not keep the process alive.
function startThread(main, name, workerData, { parts = [], transferList = [] } = {}) {
  // Neither the options of the program's command line nor NODE_OPTIONS apply: they may preload
  // modules.
  const worker = new Worker(`'use strict';${helperOfBundler()}\n(${main})(${parts.join(',\n')});`, {
    eval: true, name: `uv-scheduler: ${name}`, execArgv: [], env: {}, transferList, workerData,
  });
  own.add(worker);
  worker.unref();
  return worker;
}

module.exports = { SHARED, isOwnThread, mayStart, refusal, startThread };

'use strict';

// Makes one file of index.js and lib/, which the package loads: Node takes a third of the time that
// it takes for many. Making it takes some milliseconds, so set-up and mocha always do it, and tests
// never run an older one. (A class that refers to itself by its name gets another name from
// esbuild, which the tests of the interfaces notice.)

const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./process');

const ENTRY = path.join(ROOT, 'index.js');
const BUNDLE = path.join(ROOT, 'dist', 'index.js');

const BANNER =
  '// The code of uv-scheduler, without its comments. The sources are index.js and lib/ of the\n' +
  '// repository.';

// Never runs. Node reads the names of the exports there for the `import` of ES modules.
const FOOTER = `0 && (module.exports = {
  scheduler,
  createScheduler,
  shouldYield,
  onIdle,
  drain,
  configure,
  Scheduler,
  TaskController,
  TaskSignal,
  TaskPriorityChangeEvent,
  requestIdleCallback,
  cancelIdleCallback,
});`;

// ES modules have no `require`, and esbuild leaves calls of it in a bundle of CommonJS modules that
// is one. `process` is everywhere.
function withoutRequireOfNode(text) {
  return text.replace(/\brequire\(("node:[a-z_/]+")\)/g, 'process.getBuiltinModule($1)');
}

function bundled() {
  // Set-up installs it first.
  const { buildSync } = require('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    platform: 'node',
    external: ['@uv-scheduler/*'],
    banner: { js: BANNER },
    footer: { js: FOOTER },
    logLevel: 'error',
  });
  return withoutRequireOfNode(outputFiles[0].text);
}

function isCurrent(text = bundled()) {
  return fs.existsSync(BUNDLE) && fs.readFileSync(BUNDLE, 'utf8') === text;
}

function build() {
  const text = bundled();
  if (isCurrent(text)) return;
  // A process that loads the bundle meanwhile sees the old one or the new one.
  const made = `${BUNDLE}.${process.pid}`;
  fs.mkdirSync(path.dirname(BUNDLE), { recursive: true });
  fs.writeFileSync(made, text);
  fs.renameSync(made, BUNDLE);
}

module.exports = { build, isCurrent };

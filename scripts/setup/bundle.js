'use strict';

// Makes the files of dist/, which the package loads: one of index.js and lib/, for which Node takes
// a third of the time that it takes for many, and one for each subpath export. Making them takes
// some milliseconds, so set-up and mocha always do it, and tests never run older ones. (A class
// that refers to itself by its name gets another name from esbuild, which the tests of the
// interfaces notice.)

const fs = require('node:fs');
const path = require('node:path');
const { peerDependencies } = require('../../package.json');
const { ROOT } = require('./process');

const DIST = path.join(ROOT, 'dist');

// Each file is made of its source, by default the file of that name in the root folder, and what
// that requires. Node reads the names of its exports for the `import` of ES modules.
const ENTRIES = [
  {
    file: 'index.js',
    exports: [
      'scheduler',
      'createScheduler',
      'shouldYield',
      'onIdle',
      'drain',
      'monitorTasks',
      'traceTasks',
      'configure',
      'Scheduler',
      'TaskController',
      'TaskSignal',
      'TaskPriorityChangeEvent',
      'IdleDeadline',
      'requestIdleCallback',
      'cancelIdleCallback',
    ],
  },
  // Not for users: dist/index.js requires it when it is needed.
  {
    file: 'watch.js',
    isInternal: true,
    exports: ['monitorTasks', 'theWatch', 'traceFromOutside', 'traceTasks', 'watchForSubscribers'],
  },
  // Only one of them is loaded, by the name '#bindings' (`imports` in package.json).
  { file: 'bindings.js', source: 'lib/bindings.js', isInternal: true, exports: ['packagedFile'] },
  {
    file: 'bindings-webpack.js',
    source: 'lib/bindings-webpack.js',
    isInternal: true,
    exports: ['packagedFile'],
  },
  { file: 'bullmq.js', exports: ['IdleWorker'] },
  { file: 'http.js', exports: ['taskController'] },
  { file: 'prometheus.js', exports: ['collectTasks'] },
  { file: 'opentelemetry.js', exports: ['instrumentTasks'] },
  { file: 'react.js', exports: ['Scheduled'] },
  { file: 'react-server.js', exports: ['Scheduled'] },
  // Made for browsers, the bundle is refused if it needs a module of Node.
  { file: 'react-browser.js', exports: ['Scheduled'], platform: 'browser' },
  { file: 'react-browser.mjs', exports: ['Scheduled'], platform: 'browser' },
];

const sourceOf = ({ file, source = file }) => path.join(ROOT, source);
const fileOf = ({ file }) => path.join(DIST, file);
const isModule = ({ file }) => file.endsWith('.mjs');

// No file of dist/ has a second scheduler: what it requires of dist/index.js stays a `require`. So
// does what dist/index.js requires of dist/watch.js.
const SHARED = ENTRIES.slice(0, 2).map(sourceOf);

const BANNER =
  '// The code of uv-scheduler, without its comments. The sources are in lib/ of the repository.';

// Never runs. Node reads the names there.
function footer({ exports: names, ...entry }) {
  if (isModule(entry)) return '';
  return `0 && (module.exports = {\n${names.map((name) => `  ${name},\n`).join('')}});`;
}

// ES modules have no `require`, and esbuild leaves calls of it in a bundle of CommonJS modules that
// is one. `globalThis.process` is everywhere, also beside a variable named `process`.
function withoutRequireOfNode(text) {
  return text.replace(/\brequire\(("node:[a-z_/]+")\)/g, 'globalThis.process.getBuiltinModule($1)');
}

function bundled(entry) {
  // Set-up installs it first.
  const { buildSync } = require('esbuild');
  const source = sourceOf(entry);
  const own = SHARED.filter((each) => each !== source);
  const { outputFiles } = buildSync({
    entryPoints: [source],
    // The paths in its comments are relative to this.
    absWorkingDir: ROOT,
    // Nothing is written there. The paths of the files in dist/ among each other are those of their
    // sources.
    outfile: source,
    allowOverwrite: true,
    bundle: true,
    write: false,
    platform: entry.platform ?? 'node',
    format: isModule(entry) ? 'esm' : 'cjs',
    external: ['#bindings', '@uv-scheduler/*', ...Object.keys(peerDependencies), ...own],
    banner: { js: BANNER },
    footer: { js: footer(entry) },
    logLevel: 'error',
  });
  return withoutRequireOfNode(outputFiles[0].text);
}

function has(file, text) {
  return fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text;
}

function isCurrent() {
  return ENTRIES.every((entry) => has(fileOf(entry), bundled(entry)));
}

// A process that loads a file meanwhile sees the old one or the new one.
function write(file, text) {
  const made = `${file}.${process.pid}`;
  fs.mkdirSync(DIST, { recursive: true });
  fs.writeFileSync(made, text);
  fs.renameSync(made, file);
}

function build() {
  for (const entry of ENTRIES) {
    const text = bundled(entry);
    if (!has(fileOf(entry), text)) write(fileOf(entry), text);
  }
}

module.exports = { ENTRIES, build, isCurrent };

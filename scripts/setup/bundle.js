'use strict';

// Makes the files of dist/, which the package loads: one of index.js and lib/, for which Node takes
// a third of the time that it takes for many, and one for each subpath export. Making them takes
// some milliseconds, so set-up and mocha always do it, and tests never run older ones. (A class
// that refers to itself by its name gets another name from esbuild, which the tests of the
// interfaces notice.)

const fs = require('node:fs');
const path = require('node:path');
const { peerDependencies, version } = require('../../package.json');
const { ROOT, hasText } = require('./process');

const DIST = path.join(ROOT, 'dist');

// The exports of the package, and of each entry below that lists none.
const NAMES = [
  'scheduler', 'createScheduler', 'wait', 'shouldYield', 'pieces', 'currentTaskSignal', 'onIdle',
  'drain', 'configure', 'configuration', 'Scheduler', 'TaskController', 'TaskSignal',
  'TaskPriorityChangeEvent', 'SharedTask', 'IdleDeadline', 'requestIdleCallback',
  'cancelIdleCallback',
];
const WATCH = ['monitorTasks', 'reportSlowTasks', 'traceTasks'];

const ofIntegration = (name, exports) =>
  ({ file: `${name}.js`, source: `integrations/${name}/index.js`, exports });

// Each file has its source and what that requires. Node reads `exports` to import it by name.
const ENTRIES = [
  { file: 'index.js', source: 'index.js' },
  // The same with the portable host in place of the addon.
  { file: 'portable.js', source: 'lib/portable/index.js' },
  // Not for users: the core as WebAssembly, which the others require when it is needed.
  {
    file: 'wasm.js', source: 'lib/portable/binding.js', isInternal: true,
    exports: ['createBinding'],
  },
  // Not for users: dist/index.js and the integrations require it when it is needed.
  {
    file: 'watching.js', source: 'lib/watch/index.js', isInternal: true,
    exports: ['parts', 'traceFromOutside', 'watchForSubscribers'],
  },
  // Only one of them is loaded, by the name '#bindings' (`imports` in package.json).
  ...['bindings', 'bindings-webpack'].map((name) => ({
    file: `${name}.js`, source: `lib/loading/${name}.js`, isInternal: true,
    exports: ['packagedFile'],
  })),
  ofIntegration('health', ['serveHealth']),
  ofIntegration('http', ['controllerFor', 'createAdmission', 'shutDown']),
  // Not for users: dist/guard.js requires them when they are needed.
  {
    file: 'guarding.js', source: 'integrations/guard/guarding.js', isInternal: true,
    exports: ['begin'],
  },
  {
    file: 'url-pattern.js', source: 'integrations/guard/url-pattern.js', isInternal: true,
    exports: ['URLPattern'],
  },
  ofIntegration('guard', ['guard']),
  ofIntegration('bullmq', ['IdleWorker']),
  ofIntegration('prometheus', ['collectTaskMetrics']),
  ofIntegration('opentelemetry', ['instrumentTasks']),
  ofIntegration('testing', ['createTestScheduler', 'seeds', 'guarantees']),
  ofIntegration('react', ['Scheduled']),
  ofIntegration('report', ['labelWork', 'startReport']),
  ofIntegration('watch', WATCH),
  { file: 'react-server.js', source: 'integrations/react/react-server.js', exports: ['Scheduled'] },
  // Made for browsers, the bundle is refused if it needs a module of Node.
  ...['js', 'mjs'].map((type) => ({
    file: `react-browser.${type}`, source: `integrations/react/browser.${type}`,
    exports: ['Scheduled'], platform: 'browser',
  })),
  // A page can load the first one as it is, without a bundler.
  { file: 'browser.mjs', source: 'lib/browser/index.mjs', platform: 'browser', isSmall: true },
  {
    file: 'watch-browser.mjs', source: 'integrations/watch/browser.mjs', exports: WATCH,
    platform: 'browser',
  },
  {
    file: 'edge.js', source: 'lib/browser/edge.js', exports: [...NAMES, ...WATCH],
    platform: 'browser',
  },
];

for (const entry of ENTRIES) entry.exports ??= NAMES;

const sourceOf = ({ source }) => path.join(ROOT, source);
const fileOf = ({ file }) => path.join(DIST, file);
const isModule = ({ file }) => file.endsWith('.mjs');

// No file of dist/ has a second scheduler: a `require` of one of these files stays one. Some of
// them are not always needed.
const IS_SHARED = [
  'index.js', 'portable.js', 'wasm.js', 'watching.js', 'health.js', 'http.js', 'guarding.js',
  'url-pattern.js',
];
const SHARED = ENTRIES.filter(({ file }) => IS_SHARED.includes(file));

const BANNER = '// The code of uv-scheduler, without the comments that its repository has.';

// Never runs. Node reads the names there.
function footer({ exports: names, ...entry }) {
  if (isModule(entry)) return '';
  return `0 && (module.exports = {\n${names.map((name) => `  ${name},\n`).join('')}});`;
}

// ES modules have no `require`, and esbuild leaves calls of it in a bundle of CommonJS modules that
// is one. `globalThis.process` is everywhere, also beside a variable named `process`.
function withoutRequireOfNode(text) {
  const required = /\brequire\(("node:[a-z0-9_/]+")\)/g;
  return text.replace(required, 'globalThis.process.getBuiltinModule($1)');
}

// The files of dist/ lie beside each other, unlike their sources.
const withFilesOfDist = (text) => SHARED.reduce(
  (made, { file, source }) => made.replaceAll(`"./${source}"`, `"./${file}"`), text);

function bundled(entry) {
  // Set-up installs it first.
  const { buildSync } = require('esbuild');
  const source = sourceOf(entry);
  const own = SHARED.map(sourceOf).filter((each) => each !== source);
  const { outputFiles } = buildSync({
    entryPoints: [source],
    // The paths in its comments are relative to this.
    absWorkingDir: ROOT,
    // Nothing is written there. The paths of other files of dist/ are relative to it.
    outfile: path.join(ROOT, entry.file),
    allowOverwrite: true,
    bundle: true,
    write: false,
    platform: entry.platform ?? 'node',
    format: isModule(entry) ? 'esm' : 'cjs',
    define: {
      'process.env.UV_SCHEDULER_VERSION': JSON.stringify(version),
    },
    loader: { '.wasm': 'base64' },
    minifyWhitespace: entry.isSmall,
    minifySyntax: entry.isSmall,
    minifyIdentifiers: entry.isSmall,
    external: ['#bindings', '@uv-scheduler/*', ...Object.keys(peerDependencies), ...own],
    banner: { js: BANNER },
    footer: { js: footer(entry) },
    logLevel: 'error',
  });
  return withoutRequireOfNode(withFilesOfDist(outputFiles[0].text));
}

const isCurrent = () => ENTRIES.every((entry) => hasText(fileOf(entry), bundled(entry)));

function build() {
  fs.mkdirSync(DIST, { recursive: true });
  for (const entry of ENTRIES) {
    const file = fileOf(entry);
    const text = bundled(entry);
    if (hasText(file, text)) continue;
    // A process that loads the file meanwhile sees the old one or the new one.
    const made = `${file}.${process.pid}`;
    fs.writeFileSync(made, text);
    fs.renameSync(made, file);
  }
}

module.exports = { ENTRIES, build, isCurrent };

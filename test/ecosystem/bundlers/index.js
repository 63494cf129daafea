'use strict';

// The bundlers that bundlers.test.js runs. They come from the dependencies in this folder.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { promisify } = require('node:util');
const { finder } = require('../../helpers/installed.js');

const find = finder('bundlers');

const load = (name) => require(find(name, name));

const esbuild = find('esbuild', 'esbuild', 'bin', 'esbuild');
const commonjs = load('@rollup/plugin-commonjs');
const nodeResolve = load('@rollup/plugin-node-resolve');
const { nodeFileTrace } = load('@vercel/nft');
const { rollup } = load('rollup');
const webpack = load('webpack');
const rspack = find('Rspack', '@rspack', 'core', 'dist', 'index.js');
const rolldown = find('Rolldown', 'rolldown', 'dist', 'index.mjs');
const vite = find('Vite', 'vite', 'dist', 'node', 'index.js');

// Reads a line of a configuration as the bundler's configuration file would have it.
const configured = (line = '') => new Function(`return { ${line} };`)();

const platformOf = (isForPage) => (isForPage ? 'browser' : 'node');

function runEsbuild({ entry, file, format, external, isForPage }) {
  const flags = external === undefined ? [] : [external];
  const args = [
    entry, '--bundle', `--platform=${platformOf(isForPage)}`, `--format=${format}`,
    `--outfile=${file}`, '--log-level=warning',
  ];
  const options = { encoding: 'utf8', cwd: path.dirname(entry) };
  // Without its install script, what stands here is a script of Node.
  const run = spawnSync(process.execPath, [esbuild, ...args, ...flags], options);
  if (run.status !== 0 || run.stderr !== '') throw new Error(run.stderr);
}

// Builds with webpack or with what has its interface.
async function runCompiler(compiler, { entry, file, format, external, isForPage }) {
  const isModule = format === 'esm';
  const config = {
    mode: 'production',
    target: isForPage ? 'web' : 'node',
    context: path.dirname(entry),
    entry,
    output: { path: path.dirname(file), filename: path.basename(file), module: isModule },
    experiments: { outputModule: isModule },
    ...configured(external),
  };
  const stats = await promisify(compiler)(config);
  if (!stats.hasErrors() && !stats.hasWarnings()) return;
  throw new Error(stats.toString('errors-warnings'));
}

async function runRspack(options) {
  const { rspack: compiler } = await import(pathToFileURL(rspack));
  await runCompiler(compiler, options);
}

async function runRollup({ entry, file, format, external, isForPage = false }) {
  const plugins = [nodeResolve({ browser: isForPage }), commonjs()];
  const onwarn = ({ message }) => { throw new Error(message); };
  const bundle = await rollup({ input: entry, plugins, onwarn, ...configured(external) });
  await bundle.write({ file, format });
}

async function runRolldown({ entry, file, format, external, isForPage }) {
  const { rolldown: run } = await import(pathToFileURL(rolldown));
  const onLog = (level, { message }) => { throw new Error(message); };
  const platform = platformOf(isForPage);
  // A bundle names its modules by their paths from here.
  const cwd = path.dirname(entry);
  const bundle = await run({ input: entry, cwd, platform, onLog, ...configured(external) });
  await bundle.write({ file, format });
}

async function runVite({ entry, file, external, isForPage = false }, noExternal) {
  const { build } = await import(pathToFileURL(vite));
  const { ssr } = configured(external);
  await build({
    root: path.dirname(entry),
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: !isForPage,
      outDir: path.dirname(file),
      rollupOptions: { input: entry, output: { entryFileNames: path.basename(file) } },
    },
    ssr: { ...ssr, noExternal },
  });
}

const BOTH = ['cjs', 'esm'];
const OF_WEBPACK = { line: 'webpack, Rspack', formats: BOTH, copies: true };
const OF_VITE = { line: 'Vite (SSR)', formats: ['esm'] };

// Warnings fail the build. A bundle `isForPage` or else for Node. `line` is that of
// lib/loading/load-errors.js. `takesIn`: the bundler takes the package in unless that line forbids
// it. `copies`: it copies the binary beside the bundle.
const BUNDLERS = [
  { name: 'esbuild', line: 'esbuild', formats: BOTH, build: runEsbuild },
  { name: 'webpack', ...OF_WEBPACK, build: (options) => runCompiler(webpack, options) },
  { name: 'Rspack', ...OF_WEBPACK, build: runRspack },
  { name: 'Rollup', line: 'Rollup', formats: BOTH, build: runRollup },
  { name: 'Rolldown', line: 'Rollup', formats: BOTH, build: runRolldown },
  { name: 'Vite with ssr.noExternal', ...OF_VITE, build: (options) => runVite(options, true) },
  { name: 'Vite', ...OF_VITE, build: runVite, takesIn: false },
];

// Writes the programs into a folder, as ES modules and as CommonJS modules.
function copyPrograms(folder) {
  for (const name of ['page', 'program', 'watched']) {
    const text = fs.readFileSync(path.join(__dirname, `${name}.mjs`), 'utf8');
    fs.writeFileSync(path.join(folder, `${name}.mjs`), text);
    const required = text.replace(/^import (.*) from ('.*');$/m, 'const $1 = require($2);');
    fs.writeFileSync(path.join(folder, `${name}.cjs`), required);
  }
}

module.exports = { BUNDLERS, copyPrograms, nodeFileTrace };

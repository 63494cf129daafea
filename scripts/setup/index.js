'use strict';

// Set-up: makes a fresh clone ready to run, and skips steps that are already done. This file
// defines the order of the steps; the other modules implement them.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, say } = require('./process');
const addon = require('./addon');
const bundle = require('./bundle');
const examples = require('./examples');
const npm = require('./npm');
const system = require('./system');
const { cargoEnvironment, rustEnvironment } = require('./tools');

const ECOSYSTEM = path.join(ROOT, 'test', 'ecosystem');

// So many folders are installed at once: npm waits for the registry half of the time.
const AT_ONCE = 3;

// npm ignores optional packages that it could not fetch, but the tests need them. The folder's
// index.js, if it has one, reports what is missing.
async function prepareForTests(folder, what, options) {
  for (const force of [false, true]) {
    await npm.install(folder, what, { ...options, force });
    try {
      if (fs.existsSync(path.join(folder, 'index.js'))) require(folder);
      return;
    } catch (error) {
      if (force) throw new SetupError(error.message);
    }
  }
}

const prepareRuntimes = () => prepareForTests(path.join(ECOSYSTEM, 'runtimes'), 'Bun and Deno');
const prepareNodes = () =>
  prepareForTests(path.join(ROOT, 'test', 'nodes'), 'other Node versions for the tests');

// The steps that install the packages of every folder in test/ecosystem/, the largest first.
function stepsOfEcosystem(options) {
  const lockOf = (name) => path.join(ECOSYSTEM, name, 'package-lock.json');
  const size = (name) => fs.statSync(lockOf(name)).size;
  const names = fs.readdirSync(ECOSYSTEM).filter((name) => fs.existsSync(lockOf(name)));
  names.sort((one, other) => size(other) - size(one));
  const steps = names.map((name) => () =>
    prepareForTests(path.join(ECOSYSTEM, name), `packages for test/ecosystem/${name}`, options));
  return [
    ...steps, () => examples.prepareFrameworks(options), () => examples.prepareParsers(options),
  ];
}

// Takes steps, some at once.
async function takeSteps(steps) {
  const left = [...steps];
  const worker = async () => {
    while (left.length > 0) await left.shift()();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

// The examples take in the package as it is now.
const prepareExamples = (options) =>
  takeSteps(examples.names().map((name) => () => examples.prepare(name, options)));

// Installs what test/ecosystem/ runs, with a `priority` below that of tests beside it. The package
// must be there.
async function prepareEcosystem(options) {
  await takeSteps(stepsOfEcosystem(options));
  await prepareExamples(options);
}

// Compiles the Rust tests while npm installs packages. Their run reports errors, and waits for it.
function compileTests(env) {
  say('compiling the Rust tests (cargo test --no-run) …');
  const args = ['test', '--workspace', '--no-run', '--quiet'];
  spawn('cargo', args, { cwd: ROOT, env, stdio: 'ignore' }).on('error', () => {});
}

// needAddon: build the addon; needCargo: prepare cargo's tools even if the addon is current,
// because the caller uses cargo; needRustTests: begin to compile the Rust tests as well; needNodes:
// install the other Node versions; needRuntimes: install Bun and Deno; needSystem: install the
// browser of test/ecosystem/; needEcosystem: install all of those and all else that it runs.
// Resolves to cargo's environment, or to null.
async function prepare(needs = {}) {
  const { needAddon = true, needRustTests, needCargo = needRustTests } = needs;
  const { needNodes, needEcosystem, needRuntimes, needSystem = needEcosystem } = needs;
  let env = needCargo ? cargoEnvironment() : null;
  if (needRustTests) compileTests(env);
  // The other folders are installed meanwhile.
  const build = async () => {
    await npm.install(ROOT, 'npm packages');
    await addon.prepareCore(() => env ?? rustEnvironment());
    bundle.build();
    if (!needAddon || addon.isCurrent()) return;
    env ??= cargoEnvironment();
    await addon.build(env);
    say('the addon is built');
  };
  if (needSystem) system.prepare('chromium');
  const steps = [build];
  if (needNodes || needEcosystem) steps.push(prepareNodes);
  if (needRuntimes) steps.push(prepareRuntimes);
  if (needEcosystem) steps.push(...stepsOfEcosystem());
  await takeSteps(steps);
  if (needEcosystem) await prepareExamples();
  return env;
}

// Ends a process that needs set-up, and does not do it itself, if something of it is missing.
function requirePrepared() {
  const isThere = (...names) => fs.existsSync(path.join(ROOT, ...names));
  const missing = Object.entries({
    'the npm packages': isThere('node_modules', '.package-lock.json'),
    'the addon': addon.isBuilt(),
    'the core as WebAssembly': isThere('dist', 'core.wasm'),
  }).filter(([, isMade]) => !isMade).map(([what]) => what);
  if (missing.length === 0) return;
  say(`this clone is not set up: it lacks ${missing.join(', ')}.\n`
    + 'Run `npm test FILE`, which makes what the file needs; from then on, mocha runs it, too.');
  process.exit(1);
}

module.exports = { prepare, prepareEcosystem, requirePrepared, takeSteps };

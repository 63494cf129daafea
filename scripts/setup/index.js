'use strict';

// Set-up: makes a fresh clone ready to run, and skips steps that are already done. This file
// defines the order of the steps; the other modules implement them.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, say } = require('./process');
const addon = require('./addon');
const bundle = require('./bundle');
const chromium = require('./chromium');
const examples = require('./examples');
const frameworks = require('./frameworks');
const libclang = require('./libclang');
const npm = require('./npm');
const tools = require('./tools');

const NODES = path.join(ROOT, 'test', 'nodes');
const ECOSYSTEM = path.join(ROOT, 'test', 'ecosystem');

// Returns the environment in which cargo finds its tools and libclang, the same for the whole run.
function cargoEnvironment() {
  const env = { ...process.env };
  tools.addCargoToPath(env);
  tools.checkRust(env);
  tools.checkCompiler(env);
  libclang.prepare(env);
  return env;
}

// npm ignores optional packages that it could not fetch, but the tests need them. The folder's
// index.js, if it has one, reports what is missing.
function prepareForTests(folder, what) {
  const check = () => fs.existsSync(path.join(folder, 'index.js')) && require(folder);
  npm.install(folder, what);
  try {
    check();
  } catch {
    npm.install(folder, what, { force: true });
    try {
      check();
    } catch (error) {
      throw new SetupError(error.message);
    }
  }
}

// Installs the third-party programs of every folder in test/ecosystem/.
function prepareEcosystem() {
  for (const name of fs.readdirSync(ECOSYSTEM)) {
    const folder = path.join(ECOSYSTEM, name);
    if (!fs.existsSync(path.join(folder, 'package.json'))) continue;
    prepareForTests(folder, `packages for test/ecosystem/${name}`);
  }
  frameworks.prepare();
  chromium.prepare();
}

// needAddon: build the addon; needCargo: prepare cargo's tools even if the addon is current,
// because the caller uses cargo; needNodes: install the other Node versions; needEcosystem: install
// those and everything that test/ecosystem/ runs. Returns the environment for cargo, or null if not
// needed.
function prepare(needs = {}) {
  const { needAddon = true, needCargo = false, needNodes = false, needEcosystem = false } = needs;
  npm.install(ROOT, 'npm packages');
  if (needNodes || needEcosystem) prepareForTests(NODES, 'other Node versions for the tests');
  if (needEcosystem) prepareEcosystem();
  bundle.build();
  const mustBuild = needAddon && !addon.isCurrent();
  const env = needCargo || mustBuild ? cargoEnvironment() : null;
  if (mustBuild) {
    addon.build(env);
    say('the addon is built');
  }
  // They take in the package as it is now.
  if (needEcosystem) examples.names().forEach(examples.prepare);
  return env;
}

module.exports = { prepare };

'use strict';

// Set-up: makes a fresh clone ready to run, and skips steps that are already done. This file
// defines the order of the steps; the other modules implement them.

const path = require('node:path');
const { ROOT, SetupError, say } = require('./process');
const addon = require('./addon');
const libclang = require('./libclang');
const npm = require('./npm');
const tools = require('./tools');

// Returns the environment in which cargo finds its tools and libclang, the same for the whole run.
function cargoEnvironment() {
  const env = { ...process.env };
  tools.addCargoToPath(env);
  tools.checkRust(env);
  tools.checkCompiler(env);
  libclang.prepare(env);
  return env;
}

// npm ignores optional packages that it could not fetch, but the tests need them. Each folder's
// index.js reports what is missing.
function prepareForTests(name, what) {
  const folder = path.join(ROOT, 'test', name);
  npm.install(folder, what);
  try {
    require(folder);
  } catch {
    npm.install(folder, what, { force: true });
    try {
      require(folder);
    } catch (error) {
      throw new SetupError(error.message);
    }
  }
}

// needAddon: build the addon; needCargo: prepare cargo's tools even if the addon is current,
// because the caller uses cargo; needNodes: install the other Node versions; needHosts: install
// those and the other runtimes for the tests. Returns the environment for cargo, or null if not
// needed.
function prepare(needs = {}) {
  const { needAddon = true, needCargo = false, needNodes = false, needHosts = false } = needs;
  npm.install(ROOT, 'npm packages');
  if (needNodes || needHosts) prepareForTests('nodes', 'other Node versions for the tests');
  if (needHosts) prepareForTests('hosts', 'other runtimes and test runners for the tests');
  const mustBuild = needAddon && !addon.isCurrent();
  const env = needCargo || mustBuild ? cargoEnvironment() : null;
  if (mustBuild) {
    addon.build(env);
    say('the addon is built');
  }
  return env;
}

module.exports = { prepare };

'use strict';

// Set-up: brings a fresh clone to where it runs, step by step, and leaves alone what is current.
// It knows the order of the steps and nothing of how each is done.

const path = require('node:path');
const { ROOT, SetupError, say } = require('./process');
const addon = require('./addon');
const libclang = require('./libclang');
const npm = require('./npm');
const tools = require('./tools');

// The environment in which cargo finds its tools and libclang; one for the whole run.
function cargoEnvironment() {
  const env = { ...process.env };
  tools.addCargoToPath(env);
  tools.checkRust(env);
  tools.checkCompiler(env);
  libclang.prepare(env);
  return env;
}

// To npm an optional package that could not be fetched is no failure; to the tests it is. Each
// folder's index.js says what is missing.
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

// needAddon: the addon is built; needCargo: cargo itself is used afterwards, so its tools are
// made ready even when the addon is current; needNodes: the other Node versions; needHosts: those
// and the other runtimes for the tests. Returns the environment for cargo, or null when it was not
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

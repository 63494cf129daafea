'use strict';

// Sets up the folders of examples/ that have packages of their own, and says how each is started;
// and the programs of `npm run bench frameworks`, which measures some of them, too. Each depends on
// the package of the checkout, which npm links; the parsers of `npm run bench json` do not.

const fs = require('node:fs');
const path = require('node:path');
const { packageOf, platform } = require('../../lib/loading/binary.js');
const npm = require('./npm');
const packages = require('./packages');
const { ROOT, SetupError, runQuietly, say } = require('./process');

const EXAMPLES = path.join(ROOT, 'examples');
const FRAMEWORKS = path.join(ROOT, 'bench', 'frameworks', 'programs');
const PARSERS = path.join(ROOT, 'bench', 'json', 'parsers');

// Next.js follows no link out of the application. Astro and Nuxt would bundle what is there. In the
// shop and in work/ a linked package would load another copy of React.
const COPIES = ['astro', 'next', 'nuxt', 'shop', 'work'];

const folderOf = (name) => path.join(EXAMPLES, name);

const names = () => fs.readdirSync(EXAMPLES)
  .filter((name) => fs.existsSync(path.join(folderOf(name), 'package.json')));

const manifestOf = (folder) => npm.readJson(path.join(folder, 'package.json'));

// Whether an example runs on a version of Node.
function runsOn(name, version) {
  // Set-up installs it first.
  const { satisfies } = require('semver');
  const { engines } = manifestOf(folderOf(name));
  return engines === undefined || satisfies(version, engines.node);
}

function checkNode(name) {
  const { node } = process.versions;
  if (runsOn(name, node)) return;
  const { engines } = manifestOf(folderOf(name));
  throw new SetupError(`examples/${name} needs Node ${engines.node}; this is Node ${node}.`);
}

// The arguments with which Node runs a script of an example, in its folder. npm itself would not
// pass on SIGTERM. A script runs node, or a program of the package of that name.
function argumentsOf(name, script) {
  const folder = folderOf(name);
  const [program, ...args] = manifestOf(folder).scripts[script].split(' ');
  if (program === 'node') return args;
  const place = path.join('node_modules', program);
  const { bin } = manifestOf(path.join(folder, place));
  return [path.join(place, typeof bin === 'string' ? bin : bin[program]), ...args];
}

// The programs that `npm start` runs in the folder: a list of Node's arguments for each.
function programsOf(name) {
  const { scripts } = manifestOf(folderOf(name));
  const chosen = ['build', 'start'].filter((script) => scripts[script] !== undefined);
  return chosen.map((script) => argumentsOf(name, script));
}

// Puts the package into node_modules of a folder as npm would install it: what it publishes, and
// beside it the package with the binary of this platform.
function copyPackage(folder) {
  const targetOf = (name) => path.join(folder, 'node_modules', ...name.split('/'));
  const target = targetOf('uv-scheduler');
  fs.rmSync(target, { recursive: true, force: true });
  for (const name of ['package.json', ...manifestOf(ROOT).files]) {
    fs.cpSync(path.join(ROOT, name), path.join(target, name), { recursive: true });
  }
  const name = platform();
  packages.addOwnBinary();
  packages.makePackage(name);
  fs.cpSync(packages.folderOf(name), targetOf(packageOf(name)), { recursive: true });
}

// Installs the packages of an example. The package itself must be built.
async function prepare(name, options) {
  const folder = folderOf(name);
  await npm.install(folder, `packages for examples/${name}`, options);
  if (COPIES.includes(name)) copyPackage(folder);
}

// Builds an example with the Node at the path `node`. It must be prepared.
function build(name, node) {
  say(`building examples/${name} …`);
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' };
  runQuietly(`examples/${name} could not be built; the output is above.`,
    node, argumentsOf(name, 'build'), { cwd: folderOf(name), env });
}

const prepareFrameworks = (options) =>
  npm.install(FRAMEWORKS, 'packages for bench/frameworks/programs', options);
const prepareParsers = (options) =>
  npm.install(PARSERS, 'packages for bench/json/parsers', options);

module.exports = {
  argumentsOf, build, checkNode, folderOf, names, prepare, prepareFrameworks, prepareParsers,
  programsOf, runsOn,
};

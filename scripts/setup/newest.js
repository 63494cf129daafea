'use strict';

// Owns target/newest/, a copy of the checkout in which the newest Nodes, runtimes and frameworks
// of the npm registry are installed in place of those that the lock files name. Its tests run
// there, by the modules of the copy.

const fs = require('node:fs');
const path = require('node:path');
const { takeSteps } = require('.');
const { copySources } = require('./copy');
const npm = require('./npm');
const { ROOT, SetupError, output, say, succeedsBeside } = require('./process');

const COPY = path.join(ROOT, 'target', 'newest');

// The packages that are renewed. Of BullMQ, one folder has the newest beside the oldest.
const NAMES = [
  'bun', 'deno', 'express', 'fastify', 'next', 'react', 'react-dom', 'react-server-dom-parcel',
];
const ALIASES = { bullmq6: 'npm:bullmq@latest' };

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'];

// A Node in which `request.signal` of node:http aborts once the body was read.
const FAULTY = '24.18.0';

const PLATFORM = `-${process.platform}-${process.arch}`;

// All versions of a package, from the registry.
function versionsOf(name) {
  const [command, ...args] = npm.npmCommand('view', name, 'versions', '--json', '--prefer-online');
  const listed = output(command, args);
  if (listed === null) throw new SetupError(`npm could not list the versions of ${name}.`);
  return [JSON.parse(listed)].flat();
}

// The Nodes for this platform: of each major that the tests know the newest, and of later majors
// the newest of all, which may be a prerelease.
function newestNodes({ optionalDependencies }) {
  // Set-up installs it first.
  const semver = require('semver');
  const own = Object.entries(optionalDependencies).filter(([name]) => name.endsWith(PLATFORM));
  const majors = own.map(([name]) => Number(/\d+/.exec(name)[0]));
  const chosen = own.map(([name, value], index) => {
    const [, alias] = /^npm:(.*)@/.exec(value);
    return [name, `npm:${alias}@${semver.maxSatisfying(versionsOf(alias), `${majors[index]}`)}`];
  });
  const [, alias] = /^npm:(.*)@/.exec(own.at(-1)[1]);
  const later = `>=${Math.max(...majors) + 1}.0.0-0`;
  const next = semver.maxSatisfying(versionsOf(alias), later, { includePrerelease: true });
  if (next !== null) chosen.push([`node${semver.major(next)}${PLATFORM}`, `npm:${alias}@${next}`]);
  return Object.fromEntries(chosen);
}

// Names the newest versions in a manifest. Returns whether it has such packages.
function renew(manifest) {
  let isRenewed = false;
  for (const kind of KINDS) {
    for (const name of Object.keys(manifest[kind] ?? {})) {
      const value = NAMES.includes(name) ? 'latest' : ALIASES[name];
      if (value === undefined) continue;
      manifest[kind][name] = value;
      isRenewed = true;
    }
  }
  return isRenewed;
}

// Installs what a manifest names, without a lock file.
async function install(folder, manifest) {
  const place = path.relative(COPY, folder) || '.';
  say(`installing the newest packages of ${place} (npm install) …`);
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  fs.rmSync(path.join(folder, 'package-lock.json'), { force: true });
  const [command, ...args] = npm.npmCommand(
    'install', '--include=dev', '--include=optional', '--ignore-scripts', '--prefer-online',
    '--loglevel=error', '--no-audit', '--no-fund');
  if (await succeedsBeside(command, args, { cwd: folder })) return;
  throw new SetupError(`npm could not install the newest packages of ${place}.`);
}

// Makes the copy. The checkout must be set up. Resolves to the folder.
async function prepareNewest() {
  const files = copySources(COPY);
  const locks = files.filter((file) => path.basename(file) === 'package-lock.json');
  const folders = locks.map((file) => path.join(COPY, path.dirname(file)));
  await takeSteps(folders.map((folder) => async () => {
    const manifest = npm.readJson(path.join(folder, 'package.json'));
    const isOfNodes = manifest.name === 'uv-scheduler-test-nodes';
    if (isOfNodes) manifest.optionalDependencies = newestNodes(manifest);
    if (isOfNodes || renew(manifest)) await install(folder, manifest);
  }));
  return COPY;
}

// Installs the faulty Node in a folder of its own, for TEST_NODES_FOLDER. Resolves to the variables
// for its tests, or to undefined if there is none for this platform.
async function prepareFaulty() {
  const { optionalDependencies } = npm.readJson(path.join(ROOT, 'test', 'nodes', 'package.json'));
  const major = FAULTY.split('.')[0];
  const name = `node${major}${PLATFORM}`;
  const [, alias] = /^npm:(.*)@/.exec(optionalDependencies[name]);
  if (!versionsOf(alias).includes(FAULTY)) return undefined;
  const folder = path.join(COPY, 'target', 'faulty-node');
  fs.mkdirSync(folder, { recursive: true });
  await install(folder, { private: true, dependencies: { [name]: `npm:${alias}@${FAULTY}` } });
  return { TEST_NODES: major, TEST_NODES_FOLDER: path.join(folder, 'node_modules') };
}

module.exports = { FAULTY, prepareFaulty, prepareNewest };

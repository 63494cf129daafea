'use strict';

// The package managers that package-managers.test.js runs. npm is the one of the environment. The
// others come from the dependencies in this folder.

const fs = require('node:fs');
const path = require('node:path');
const { finder } = require('../../helpers/installed.js');
const { npmCommand } = require('../../../scripts/setup/npm.js');

const find = finder('package-managers');

// The path of npm's program: a test runs it where `npm` itself is not on the PATH.
function findNpm() {
  const cli = npmCommand().at(-1);
  if (path.isAbsolute(cli)) return cli;
  const folders = process.env.PATH.split(path.delimiter);
  const found = folders.map((folder) => path.join(folder, cli)).find(fs.existsSync);
  if (found === undefined) throw new Error('npm, which the tests need, is not on the PATH.');
  return fs.realpathSync(found);
}

// pnpm 12 is a native program, in a package that is named after its platform.
const libc = process.platform === 'linux' && fs.existsSync('/etc/alpine-release') ? '-musl' : '';
find('pnpm 12', '@pnpm', `exe.${process.platform}-${process.arch}${libc}`);

// Settings with which Yarn uses a registry without TLS, and nothing outside of the folder.
const yarnSettings = (registry, nodeLinker, more = '') => `
npmRegistryServer: ${registry}
unsafeHttpWhitelist: ['127.0.0.1']
enableGlobalCache: false
enableTelemetry: false
globalFolder: ./.yarn/global
nodeLinker: ${nodeLinker}
${more}
`;

// Else Yarn looks for the packages that ES modules import only if package.json says that the
// program is one.
const ESM = 'pnpEnableEsmLoader: true';

const yarn = find('Yarn', '@yarnpkg', 'cli-dist', 'bin', 'yarn.js');

const OF_PNPM = {
  add: ['add'], without: ['--no-optional'], architectures: 'pnpm-workspace.yaml',
};
const OF_YARN = { program: yarn, add: ['add'], architectures: '.yarnrc.yml' };

// `add`: the arguments that install a package. `without`: those that leave out optional ones.
// `settings`: those of Yarn. `runner`: what starts a program, if not Node itself does.
// `architectures`: the file with the setting `supportedArchitectures`; npm has flags instead.
const MANAGERS = [
  { name: 'npm', program: findNpm(), add: ['install'], without: ['--omit=optional'] },
  { name: 'pnpm 10', program: find('pnpm 10', 'pnpm', 'bin', 'pnpm.cjs'), ...OF_PNPM },
  { name: 'pnpm 12', program: find('pnpm 12', 'pnpm12', 'bin', 'pnpm.mjs'), ...OF_PNPM },
  {
    name: 'Yarn with node_modules', ...OF_YARN,
    settings: (registry) => yarnSettings(registry, 'node-modules'),
  },
  {
    name: "Yarn with Plug'n'Play", ...OF_YARN,
    settings: (registry) => yarnSettings(registry, 'pnp', ESM),
    runner: [yarn, 'node'],
  },
];

module.exports = { ESM, MANAGERS };

'use strict';

// Explains why the binary of the addon could not be loaded, and what to do about it. Loaded only
// when that happens.

const { PLATFORMS, fileOf, find, packageOf } = require('./binary.js');
const { ownManifest } = require('./manifest.js');

const BUILD =
  'To build one, clone the repository, run `npm run build` there, and set the environment\n' +
  'variable UV_SCHEDULER_BINARY to the path of the `.node` file.';

// The settings that make each bundler leave the package where it is installed. The tests use them.
const EXTERNAL = {
  'Next.js': "serverExternalPackages: ['uv-scheduler']",
  esbuild: '--external:uv-scheduler',
  'webpack, Rspack': "externals: { 'uv-scheduler': 'node-commonjs uv-scheduler' }",
  Rollup: "external: ['uv-scheduler']",
  'Vite (SSR)': "ssr: { external: ['uv-scheduler'] }",
};

// Instructions if a bundler has moved the code.
function bundled(binary) {
  const lines = Object.entries(EXTERNAL).map(([name, line]) => `  ${name.padEnd(17)}${line}\n`);
  return (
    'A bundler has moved the code away from the binary. Mark the package as external, and\n' +
    `install it where the program runs:\n${lines.join('')}` +
    `Or copy the binary next to the bundle: ${binary}`
  );
}

const LIBC = { gnu: 'glibc', musl: 'musl' };

// The constraints by which package managers choose the package for a platform.
function constraintsOf(platform) {
  const [os, cpu, abi] = platform.split('-');
  return abi in LIBC ? { os, cpu, libc: LIBC[abi] } : { os, cpu };
}

// Instructions if the package was installed for other platforms.
function installedFor(others, platform, isBundle) {
  const constraints = Object.entries(constraintsOf(platform));
  const flags = constraints.map(([name, value]) => `--${name}=${value}`).join(' ');
  const setting = constraints.map(([name, value]) => `${name}: [${value}]`).join(', ');
  return (
    `it was installed for ${others.join(', ')}, and this is ${platform}.\n` +
    `Install it on this platform, or for it${isBundle ? ', and bundle again' : ''}:\n` +
    `  npm         npm install ${flags}\n` +
    `  pnpm, Yarn  supportedArchitectures: { ${setting} }\n` +
    '              in pnpm-workspace.yaml or .yarnrc.yml\n' +
    'A container needs its own node_modules. Do not copy the folder of another system into it.'
  );
}

// Why there is no binary for the platform.
function missing(platform) {
  if (!PLATFORMS.includes(platform)) {
    const list = PLATFORMS.join(', ');
    return `there is no binary for ${platform}.\nThere are binaries for ${list}.\n${BUILD}`;
  }
  const name = packageOf(platform);
  const manifest = ownManifest();
  const others = PLATFORMS.filter((other) => find(other) !== undefined);
  if (others.length > 0) return installedFor(others, platform, manifest === undefined);
  if (manifest === undefined) {
    const file = `node_modules/${name}/${fileOf(platform)}`;
    return `it was not found.\n${bundled(file)}`;
  }
  return (
    `the package ${name}, which contains the binary for this platform, is not installed.\n` +
    'npm leaves it out with --omit=optional, pnpm with --no-optional. npm 10 also does so if\n' +
    'package-lock.json lists only packages for other platforms. To add it there:\n' +
    `  npm install uv-scheduler@${manifest.version}`
  );
}

// Why an existing binary could not be loaded.
function unloadable(error) {
  if (error?.code !== 'ERR_DLOPEN_DISABLED') return `it could not be loaded: ${error?.message}`;
  if (process.permission !== undefined) {
    return 'the permission model forbids native addons. Also start Node with --allow-addons.';
  }
  return 'native addons are switched off. Start Node without --no-addons.';
}

module.exports = { EXTERNAL, constraintsOf, missing, unloadable };

'use strict';

// Explains why the binary of the addon could not be loaded, and what to do about it. Loaded only
// when that happens.

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { PLATFORMS, fileOf, packageOf } = require('./binary.js');

const BUILD =
  'To build one, clone the repository, run `npm run build` there, and set the environment\n' +
  'variable UV_SCHEDULER_BINARY to the path of the `.node` file.';

// What makes each bundler leave the package where it is installed. The tests build with these.
const EXTERNAL = {
  'Next.js': "serverExternalPackages: ['uv-scheduler']",
  esbuild: '--external:uv-scheduler',
  'webpack, Rspack': "externals: { 'uv-scheduler': 'node-commonjs uv-scheduler' }",
  Rollup: "external: ['uv-scheduler']",
  'Vite (SSR)': "ssr: { external: ['uv-scheduler'] }",
};

// What to do where a bundler has moved the code.
function bundled(binary) {
  const lines = Object.entries(EXTERNAL).map(([name, line]) => `  ${name.padEnd(17)}${line}\n`);
  return (
    'A bundler has moved its code away from its binary. Name the package external, and install\n' +
    `it where the program runs:\n${lines.join('')}Or copy the binary beside the bundle: ${binary}`
  );
}

// Whether this code is where npm has installed it.
function isInPackage() {
  try {
    const text = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
    return JSON.parse(text).name === 'uv-scheduler';
  } catch {
    return false;
  }
}

// Why there is no binary for the platform.
function missing(platform) {
  if (!PLATFORMS.includes(platform)) {
    const list = PLATFORMS.join(', ');
    return `there is no binary for ${platform}.\nThere are binaries for ${list}.\n${BUILD}`;
  }
  const name = packageOf(platform);
  if (!isInPackage()) {
    const file = `node_modules/${name}/${fileOf(platform)}`;
    return `its binary for ${platform} was not found.\n${bundled(file)}`;
  }
  return (
    `the package ${name}, which holds the binary for this platform, is not installed.\n` +
    'npm leaves it out with --omit=optional, or if package-lock.json was written on another\n' +
    'platform: remove node_modules and package-lock.json, and run npm install again.\n' +
    BUILD
  );
}

// Why a binary that is there could not be loaded.
function unloadable(file, error) {
  if (error?.code !== 'ERR_DLOPEN_DISABLED') {
    return `its binary ${file} could not be loaded: ${error?.message}`;
  }
  if (process.permission !== undefined) {
    return 'the permission model forbids native addons. Start Node with --allow-addons, too.';
  }
  return 'native addons are switched off. Start Node without --no-addons.';
}

module.exports = { EXTERNAL, missing, unloadable };

'use strict';

// Programs other than Node that run JavaScript: other runtimes, and test runners inside Node. They
// come from the dependencies in this folder.

const fs = require('node:fs');
const path = require('node:path');

const MODULES = path.join(__dirname, 'node_modules');
const EXTENSION = process.platform === 'win32' ? '.exe' : '';

// The package of a runtime's executable is named after its platform.
const BUN_ARCH = { arm64: 'aarch64' };
const DENO_LIBC = { linux: '-glibc' };
const BUN_PLATFORM = { win32: 'windows' };

function platformOf(names, archs = {}, suffixes = {}) {
  const { arch, platform } = process;
  return `${names[platform] ?? platform}-${archs[arch] ?? arch}${suffixes[platform] ?? ''}`;
}

function find(name, ...parts) {
  const file = path.join(MODULES, ...parts);
  if (!fs.existsSync(file)) {
    throw new Error(
      `${name}, which the tests need, is not installed: there is no ${path.join(...parts)}.\n` +
        'Install it with: npm ci --prefix test/ecosystem/hosts --ignore-scripts\n' +
        '(npm run test:ecosystem does so by itself)',
    );
  }
  return file;
}

const bunFolder = `bun-${platformOf(BUN_PLATFORM, BUN_ARCH)}`;
const denoFolder = platformOf({}, {}, DENO_LIBC);

module.exports = {
  bun: find('Bun', '@oven', bunFolder, 'bin', `bun${EXTENSION}`),
  deno: find('Deno', '@deno', denoFolder, `deno${EXTENSION}`),
  jest: find('jest', 'jest', 'bin', 'jest.js'),
  jest29: find('jest 29', 'jest29', 'bin', 'jest.js'),
  vitest: find('vitest', 'vitest', 'vitest.mjs'),
};

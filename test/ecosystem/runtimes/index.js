'use strict';

// Bun and Deno. Their packages bring the executables, which need no install script.

const { finder } = require('../../helpers/installed.js');

const find = finder('runtimes');
const EXTENSION = process.platform === 'win32' ? '.exe' : '';

// The package of a runtime's executable is named after its platform.
const BUN_ARCH = { arm64: 'aarch64' };
const DENO_LIBC = { linux: '-glibc' };
const BUN_PLATFORM = { win32: 'windows' };

function platformOf(names, archs = {}, suffixes = {}) {
  const { arch, platform } = process;
  return `${names[platform] ?? platform}-${archs[arch] ?? arch}${suffixes[platform] ?? ''}`;
}

const bunFolder = `bun-${platformOf(BUN_PLATFORM, BUN_ARCH)}`;
const denoFolder = platformOf({}, {}, DENO_LIBC);

module.exports = {
  bun: find('Bun', '@oven', bunFolder, 'bin', `bun${EXTENSION}`),
  deno: find('Deno', '@deno', denoFolder, `deno${EXTENSION}`),
};

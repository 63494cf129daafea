'use strict';

// The platforms that the addon is built for: those of `napi.targets` in package.json, each with the
// name that it has in the names of binaries and packages, and how this machine builds it.

const path = require('node:path');
const { checkName } = require('./arguments');
const { ROOT, SetupError } = require('./process');

const { napi } = require(path.join(ROOT, 'package.json'));

// The oldest glibc that zig can link for and that every supported Node runs with.
const GLIBC = '2.17';

const ARCHITECTURES = { x86_64: 'x64', aarch64: 'arm64' };

// The systems in target triples: the name in names of binaries, zig's name, and the end of cargo's
// file.
const SYSTEMS = {
  'unknown-linux-gnu': { name: 'linux-$-gnu', zig: 'linux-gnu', suffix: 'so' },
  'unknown-linux-musl': { name: 'linux-$-musl', zig: 'linux-musl', suffix: 'so' },
  'apple-darwin': { name: 'darwin-$', zig: 'macos', suffix: 'dylib' },
  // Microsoft's linker and libraries exist on Windows only. The binary has the same name, because
  // that is what an official Node looks for.
  'pc-windows-msvc': { name: 'win32-$-msvc', zig: 'windows-gnu', suffix: 'dll' },
};

// Rust's name of the target that is built instead of one with Microsoft's libraries.
const INSTEAD = {
  'x86_64-pc-windows-msvc': 'x86_64-pc-windows-gnu',
  'aarch64-pc-windows-msvc': 'aarch64-pc-windows-gnullvm',
};

function describe(target) {
  const [, arch, system] = /^([^-]+)-(.*)$/.exec(target);
  if (!(arch in ARCHITECTURES) || !(system in SYSTEMS)) {
    throw new SetupError(`package.json: napi.targets has ${target}, which no script can build`);
  }
  const { name, zig, suffix } = SYSTEMS[system];
  return {
    platform: name.replace('$', ARCHITECTURES[arch]),
    target,
    triple: INSTEAD[target] ?? target,
    isForMsvc: target in INSTEAD,
    zig: `${arch}-${zig}`,
    glibc: system === 'unknown-linux-gnu' ? GLIBC : null,
    library: suffix === 'dll' ? 'uv_scheduler.dll' : `libuv_scheduler.${suffix}`,
  };
}

const targets = napi.targets.map(describe);

// Returns the targets with these platform names, or all.
function chooseTargets(platforms) {
  const names = targets.map(({ platform }) => platform);
  for (const name of platforms) checkName('platform', name, names);
  return targets.filter(({ platform }) => {
    return platforms.length === 0 || platforms.includes(platform);
  });
}

module.exports = { GLIBC, chooseTargets };

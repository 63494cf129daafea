'use strict';

// Owns addons for tools that look for faults: not optimized, with debug symbols and assertions, and
// in a folder of their own beside the one that people get. Builds them and makes sure that Node
// loads them. It does not know the tools.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, output, succeeds } = require('./process');

// What rustc calls this machine.
function hostTriple(env) {
  return /^host: (.*)$/m.exec(output('rustc', ['-vV'], { env }))[1];
}

// Builds into cargo's folder `target`, and copies what came of it to `addon`. With `flags` of rustc
// the build is one for a named triple: only then build scripts are spared the flags.
function buildUnoptimized(addon, { env, target, flags = [] }) {
  const triple = flags.length > 0 ? hostTriple(env) : null;
  const named = triple === null ? [] : ['--target', triple];
  const rustflags = [env.RUSTFLAGS, ...flags].filter(Boolean).join(' ');
  const options = { env: { ...env, RUSTFLAGS: rustflags } };
  if (!succeeds('cargo', ['build', '--lib', '--target-dir', target, ...named], options)) {
    throw new SetupError('The addon could not be built; the compiler\'s own message is above.');
  }
  const built = path.join(target, triple ?? '', 'debug', 'libuv_scheduler.so');
  fs.mkdirSync(path.dirname(addon), { recursive: true });
  fs.copyFileSync(built, addon);
}

// The environment in which a program loads that addon.
function environment(addon, more = {}) {
  return { ...process.env, ...more, NAPI_RS_NATIVE_LIBRARY_PATH: addon };
}

// The loader falls back to other binaries when it cannot load the one that it is given. How the
// process ends is up to the tool.
function checkLoaded(addon, node, env) {
  const script = `require(${JSON.stringify(ROOT)});
    process.report.getReport().sharedObjects.forEach((file) => console.log(file));`;
  const { stdout, stderr } = spawnSync(node.path, ['-e', script], { env, encoding: 'utf8' });
  if (stdout.split('\n').includes(addon)) return;
  throw new SetupError(`Node ${node.version} did not load the addon ${addon}\n${stderr}`.trim());
}

module.exports = { buildUnoptimized, checkLoaded, environment };

'use strict';

// Builds addons for tools that look for faults: unoptimized, with debug symbols and assertions, and
// in a separate folder from the addon that users get. Also checks that Node loads them.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, output, succeeds } = require('./process');

// Returns rustc's name for this machine.
function hostTriple(env) {
  return /^host: (.*)$/m.exec(output('rustc', ['-vV'], { env }))[1];
}

// Builds into cargo's folder `target`, and copies the result to `addon`. If there are `flags` for
// rustc, the build names its target triple, which keeps the flags from build scripts.
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

// Returns the environment in which a program loads that addon.
function environment(addon, more = {}) {
  return { ...process.env, ...more, UV_SCHEDULER_BINARY: addon };
}

// Makes sure that the tool looks at this addon. The tool may change the exit code, which therefore
// says nothing.
function checkLoaded(addon, node, env) {
  const script = `require(${JSON.stringify(ROOT)});
    process.report.getReport().sharedObjects.forEach((file) => console.log(file));`;
  const { stdout, stderr } = spawnSync(node.path, ['-e', script], { env, encoding: 'utf8' });
  if (stdout.split('\n').includes(addon)) return;
  throw new SetupError(`Node ${node.version} did not load the addon ${addon}\n${stderr}`.trim());
}

module.exports = { buildUnoptimized, checkLoaded, environment };

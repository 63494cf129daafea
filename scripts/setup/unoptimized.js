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

// Builds into cargo's folder `target`, and returns the folder below it that has the result. If
// there are `flags` for rustc, the build names its target triple, even though it is the host, which
// keeps the flags from build scripts.
function buildWithFlags(args, { cwd = ROOT, env, target, flags = [] }) {
  const triple = flags.length > 0 ? hostTriple(env) : null;
  const named = triple === null ? [] : ['--target', triple];
  const RUSTFLAGS = [env.RUSTFLAGS, ...flags].filter(Boolean).join(' ');
  const options = { cwd, env: { ...env, RUSTFLAGS } };
  if (!succeeds('cargo', ['build', ...args, '--target-dir', target, ...named], options)) {
    throw new SetupError('cargo could not build it; the compiler\'s own message is above.');
  }
  return path.join(target, triple ?? '');
}

// Builds the addon, and copies it to `addon`.
function buildUnoptimized(addon, options) {
  const built = buildWithFlags(['--lib'], options);
  fs.mkdirSync(path.dirname(addon), { recursive: true });
  fs.copyFileSync(path.join(built, 'debug', 'libuv_scheduler.so'), addon);
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

module.exports = { buildUnoptimized, buildWithFlags, checkLoaded, environment };

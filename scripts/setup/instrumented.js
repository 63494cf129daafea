'use strict';

// Builds for tools that look for faults: unoptimized, with debug symbols and assertions, and in a
// separate folder from the addon that users get.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { prepare } = require('.');
const { ROOT, SetupError, output, say, succeeds } = require('./process');
const { runJobs } = require('./programs');

// Builds into cargo's folder `target`, and returns the folder below it that has the result. If
// there are `flags` for rustc, the build names its target triple, even though it is the host, which
// keeps the flags from build scripts.
function buildWithFlags(args, { cwd = ROOT, env, target, flags = [] }) {
  const [, host] = /^host: (.*)$/m.exec(output('rustc', ['-vV'], { env }));
  const triple = flags.length > 0 ? host : '';
  const all = ['build', ...args, '--target-dir', target, ...(triple ? ['--target', triple] : [])];
  const RUSTFLAGS = [env.RUSTFLAGS, ...flags].filter(Boolean).join(' ');
  if (!succeeds('cargo', all, { cwd, env: { ...env, RUSTFLAGS } })) {
    throw new SetupError('cargo could not build it; the compiler\'s own message is above.');
  }
  return path.join(target, triple);
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

// Builds the addon to the file `addon`, `how` in words, and runs jobs of programs.js with it.
// `variables` are for cargo, and `environment` is for the jobs, whose run() gets all of theirs.
async function runWithAddon(which, jobs, addon, options) {
  const { how, target, flags, variables, environment, run, praise } = options;
  const cargo = await prepare({ needCargo: true, needNodes: which !== undefined });
  say(`building the addon with ${how} (cargo build) …`);
  const built = buildWithFlags(['--lib'], { env: { ...cargo, ...variables }, target, flags });
  fs.mkdirSync(path.dirname(addon), { recursive: true });
  fs.copyFileSync(path.join(built, 'debug', 'libuv_scheduler.so'), addon);
  const env = { ...process.env, ...environment, UV_SCHEDULER_BINARY: addon };
  return runJobs(which, jobs, {
    begin: (node) => checkLoaded(addon, node, env),
    run: (job, node, name) => run(job, node, name, env),
    praise,
  });
}

module.exports = { buildWithFlags, runWithAddon };

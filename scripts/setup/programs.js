'use strict';

// Runs folders of programs with versions of Node, for the checks that do so. Their arguments are
// `--node 20|22|24|26|all` for Node versions of test/nodes instead of this one, and `--only
// PROGRAM`. Tools that look for faults get builds for them: unoptimized, with debug symbols and
// assertions, and in a separate folder from the addon that users get.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { prepare } = require('.');
const { ROOT, SetupError, output, readArguments, say, succeeds } = require('./process');

function readChoice(check, args) {
  const string = { type: 'string' };
  const usage = `npm run check ${check} -- [--node 20|22|24|26|all] [--only PROGRAM]`;
  return readArguments(args, usage, { node: string, only: string });
}

// Returns the files of a folder, each a program, as jobs { name, file }.
function choosePrograms(folder, only) {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.js')).sort();
  const wanted = only === undefined ? names : [`${path.parse(only).name}.js`];
  const chosen = names.filter((name) => wanted.includes(name));
  if (chosen.length > 0) return chosen.map((name) => ({ name, file: path.join(folder, name) }));
  const place = path.relative(ROOT, folder);
  throw new SetupError(`There is no program "${only}" in ${place}, only: ${names.join(', ')}`);
}

// Set-up must have installed the versions in test/nodes.
function chooseNodes(which) {
  if (which === undefined) return [{ version: process.versions.node, path: process.execPath }];
  const nodes = require(path.join(ROOT, 'test', 'nodes'));
  const chosen = nodes.filter(({ major }) => which === 'all' || String(major) === which);
  if (chosen.length > 0) return chosen;
  const majors = nodes.map(({ major }) => major).join(', ');
  throw new SetupError(`There is no Node ${which} in test/nodes, only: ${majors}`);
}

// Runs a process to its end. Returns true if it succeeded, and says so if not.
function endsWell(name, command, args, options) {
  const all = { cwd: ROOT, stdio: 'inherit', encoding: 'utf8', ...options };
  const { error, status, signal, stderr } = spawnSync(command, args, all);
  if (error) throw error;
  const how = `${name} ended with ${signal ?? `exit code ${status}`}`;
  if (status !== 0) say([how, stderr].filter(Boolean).join('\n'));
  return status === 0;
}

// Runs each job with each of the chosen Nodes, after `begin(node)`. `run(job, node, name)` returns
// whether it found no fault. Says `praise`, or what has failed, and returns the exit code.
function runJobs(which, jobs, { begin, run, praise }) {
  const failed = [];
  for (const node of chooseNodes(which)) {
    begin(node);
    for (const job of jobs) {
      const name = `${job.name} on Node ${node.version}`;
      if (!run(job, node, name)) failed.push(name);
    }
  }
  say(failed.length === 0 ? praise : `failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
}

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

// Builds the addon to the file `addon`, `how` in words, and runs jobs with it.
// `variables` are for cargo, and `environment` is for the jobs, whose run() gets all of theirs.
async function runWithAddon(which, jobs, addon, options) {
  const { how, target, flags, variables, environment, run, praise } = options;
  const cargo = await prepare({ needCargo: true, needNodes: which !== undefined });
  say(`building the addon with ${how} (cargo build) …`);
  const built = buildWithFlags(['--lib'], { env: { ...cargo, ...variables }, target, flags });
  fs.cpSync(path.join(built, 'debug', 'libuv_scheduler.so'), addon);
  const env = { ...process.env, ...environment, UV_SCHEDULER_BINARY: addon };
  return runJobs(which, jobs, {
    begin: (node) => checkLoaded(addon, node, env),
    run: (job, node, name) => run(job, node, name, env),
    praise,
  });
}

module.exports = {
  buildWithFlags, chooseNodes, choosePrograms, endsWell, readChoice, runJobs, runWithAddon,
};

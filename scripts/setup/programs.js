'use strict';

// Runs folders of programs with versions of Node, for the checks that do so. Their arguments are
// `--node 20|22|24|26|all` for Node versions of test/nodes instead of this one, and `--only
// PROGRAM`. Tools that look for faults get an addon for them: unoptimized, with debug symbols and
// assertions, and in a separate folder from the addon that users get.

const fs = require('node:fs');
const path = require('node:path');
const { prepare } = require('.');
const { ROOT, SetupError, checkName, output, readArguments, say, succeeds } = require('./process');
const system = require('./system');

// Returns the files of a folder of test/, each a program, as jobs { name, args }.
function programsIn(folder) {
  const place = path.join(ROOT, 'test', folder);
  const names = fs.readdirSync(place).filter((name) => name.endsWith('.js')).sort();
  return names.map((name) => ({ name, args: [path.join(place, name)] }));
}

// Returns all of these jobs, or the only one that is wanted.
function choosePrograms(jobs, only) {
  if (only === undefined) return jobs;
  const name = path.parse(only).name;
  const nameOf = (job) => path.parse(job.name).name;
  checkName('program', name, jobs.map(nameOf));
  return jobs.filter((job) => nameOf(job) === name);
}

// Set-up must have installed the versions in test/nodes.
function chooseNodes(which) {
  if (which === undefined) return [{ version: process.versions.node, path: process.execPath }];
  const nodes = require(path.join(ROOT, 'test', 'nodes'));
  if (which === 'all') return nodes;
  checkName('Node', which, nodes.map(({ major }) => String(major)));
  return nodes.filter(({ major }) => String(major) === which);
}

// Builds the addon `how` in words, in cargo's folder `target`, and copies it to `file`. The build
// names its target, although that is the host, because this keeps the flags from build scripts.
function buildAddon({ how, target, file, flags = [], variables }, cargo) {
  say(`building the addon with ${how} (cargo build) …`);
  const [, host] = /^host: (.*)$/m.exec(output('rustc', ['-vV'], { env: cargo }));
  const RUSTFLAGS = [cargo.RUSTFLAGS, ...flags].filter(Boolean).join(' ');
  const env = { ...cargo, ...variables, RUSTFLAGS };
  if (!succeeds('cargo', ['build', '--lib', '--target', host, '--target-dir', target], { env })) {
    throw new SetupError('cargo could not build it; the compiler\'s own message is above.');
  }
  fs.cpSync(path.join(target, host, 'debug', 'libuv_scheduler.so'), file);
}

// Runs a check of the programs in the folder of test/ that has its name, or of other `programs`,
// with each of the chosen Nodes, after `begin(node)`. `tool` is a name of system.js. If there is an
// `addon`, the jobs load that one, and have the variables that its `environment` makes of the tool.
// `run({ name, args, node, env })` returns whether it found no fault. Says `praise`, or what has
// failed, and resolves to the exit code.
async function runPrograms(check, args, options) {
  const { programs = programsIn(check), defaultNode, tool, addon, begin, run } = options;
  const usage = `npm run check ${check} -- [--node 20|22|24|26|all] [--only PROGRAM]`;
  const known = { node: { type: 'string' }, only: { type: 'string' } };
  const { node: which = defaultNode, only } = readArguments(args, usage, known);
  const jobs = choosePrograms(programs, only);
  const found = tool && system.prepare(tool);
  const env = { ...process.env, ...addon?.environment?.(found) };
  const cargo = await prepare({ needCargo: addon !== undefined, needNodes: which !== undefined });
  if (addon !== undefined) {
    buildAddon(addon, cargo);
    env.UV_SCHEDULER_BINARY = addon.file;
  }
  const failed = [];
  for (const node of chooseNodes(which)) {
    begin?.(node);
    for (const job of jobs) {
      const name = `${job.name} on Node ${node.version}`;
      if (!run({ name, args: job.args, node, env })) failed.push(name);
    }
  }
  say(failed.length === 0 ? options.praise : `failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
}

module.exports = { chooseNodes, runPrograms };

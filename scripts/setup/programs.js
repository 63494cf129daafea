'use strict';

// Runs folders of programs with versions of Node, for the checks that do so. Their arguments are
// `--node 20|22|24|26|all` for Node versions of test/nodes instead of this one, and `--only
// PROGRAM`.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { readArguments } = require('./arguments');
const { ROOT, SetupError, say } = require('./process');

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

module.exports = { chooseNodes, choosePrograms, endsWell, readChoice, runJobs };

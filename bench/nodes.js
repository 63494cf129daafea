'use strict';

// Runs the benchmark (main.js) with other versions of Node, one after the other.

const { spawn } = require('node:child_process');
const path = require('node:path');
const { UsageError, toArguments } = require('./arguments.js');

function executables(node) {
  const all = require('../test/nodes');
  if (node === 'all') return all;
  const found = all.filter(({ major }) => major === node);
  if (found.length > 0) return found;
  const list = all.map(({ major }) => major).join(', ');
  throw new UsageError(`--node must be one of ${list} or 'all', not '${node}'`);
}

// Resolves to the exit code and, with --json, the output.
function run(executable, options) {
  return new Promise((resolve, reject) => {
    const main = path.join(__dirname, 'main.js');
    const stdio = ['ignore', options.json ? 'pipe' : 'inherit', 'inherit'];
    const child = spawn(executable, [main, ...toArguments(options)], { stdio });
    // A terminal sends Ctrl-C to all processes; the one that measures decides when to stop.
    const pass = () => child.kill('SIGTERM');
    const ignore = () => {};
    process.on('SIGTERM', pass);
    process.on('SIGINT', ignore);
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGTERM', pass);
      process.off('SIGINT', ignore);
      resolve({ code: signal === null ? code : 1, text });
    });
  });
}

// Resolves to the exit code of the last run that failed. The other runs go on after a failure
// unless the run was interrupted.
async function runWithNodes(options) {
  const reports = [];
  let result = 0;
  for (const { version, path: executable } of executables(options.node)) {
    process.stderr.write(`bench: with Node ${version}\n`);
    const { code, text } = await run(executable, options);
    if (text !== '') reports.push(...JSON.parse(text));
    if (code !== 0) result = code;
    if (code > 128) break;
  }
  if (options.json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
  return result;
}

module.exports = { runWithNodes };

'use strict';

// Runs test runners in processes of their own, and judges how they ended: mocha with any Node, also
// one that an emulator runs, and cargo.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT, say } = require('./setup/process');
const { readJson } = require('./setup/npm');

const MOCHA = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
const REPORTER = path.join(__dirname, 'mocha-reporter.js');

// Runs a program to its end, and shows its output.
function run(command, args, { env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}

// Does so beside others, with the processor time that they leave. The output is shown at the end,
// and `onLine` gets each line of standard output.
function runBeside(command, args, { env, onLine }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
    const output = { stdout: '', stderr: '' };
    for (const name of Object.keys(output)) {
      child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.stderr.write(output.stderr);
      process.stdout.write(output.stdout);
      output.stdout.split('\n').forEach(onLine);
      resolve({ code, signal });
    });
  });
}

// What a run of no test counts. `failures` says what failed, a line for each.
function noCounts() {
  return { passed: 0, failed: 0, skipped: 0, failures: [] };
}

// A runner that failed without a failed test (it did not compile, it crashed) or that ran no test
// at all counts as one failure, so that the totals show it.
function judge(name, counts, { code, signal }) {
  const result = { ...counts };
  const ran = counts.passed + counts.failed;
  let trouble = null;
  if (signal) trouble = `was ended by ${signal}`;
  else if (code !== 0 && counts.failed === 0) trouble = `ended with exit code ${code}`;
  else if (ran === 0) trouble = 'ran no test';
  if (trouble) {
    say(`${name} ${trouble}: this counts as a failure`);
    result.failed = Math.max(1, result.failed);
    result.failures = [...counts.failures, `${name} ${trouble}`];
  }
  return result;
}

// Runs mocha with `args`. `command` starts Node, and `nameOf` returns how that Node names a file.
async function runMocha({ command, env, args, nameOf = (file) => file }) {
  const [program, ...before] = command;
  // A folder of the project, as an emulated Node may see no other.
  const parent = path.join(ROOT, 'target');
  fs.mkdirSync(parent, { recursive: true });
  const folder = fs.mkdtempSync(path.join(parent, 'mocha-'));
  const file = path.join(folder, 'counts.json');
  try {
    const all = [...before, nameOf(MOCHA), '--reporter', nameOf(REPORTER), ...args];
    const end = await run(program, all, { env: { ...env, MOCHA_COUNTS_FILE: nameOf(file) } });
    const counts = readJson(file) || noCounts();
    return judge('mocha', counts, end);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { judge, noCounts, runBeside, runMocha };

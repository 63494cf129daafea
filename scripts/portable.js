'use strict';

// Runs the tests on the portable host: with Node in one run of mocha, with Bun and Deno each file
// in a process of its own. test/portable/excluded.js names the tests that a host leaves out.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { judge, noCounts, runMocha } = require('./mocha');
const { ROOT, say } = require('./setup/process');
const { readJson } = require('./setup/npm');
const { portableFiles, runtimeFiles } = require('./test-files');

const MOCHA = path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
const REPORTER = path.join(__dirname, 'mocha-reporter.js');

// Far longer than any file takes: one that reaches it hangs.
const LIMIT = 240_000;

// How often a failed test is repeated on Bun and Deno, whose own turns, timers and collectors the
// bounds of the tests were not made for. A guarantee that does not hold fails each time.
const RETRIES = '2';

// With `own` the tests start programs with the runtime that runs them.
const environment = (env) => ({
  ...env,
  TEST_NODES: 'own',
  UV_SCHEDULER_PORTABLE: '1',
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
});

// A pattern for mocha that selects the tests a host runs, by their full titles.
function selection(host, grep = '') {
  const { excludedOn } = require('../test/portable/excluded.js');
  const titles = excludedOn(host).map((title) => title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return `/^(?!(?:${titles.join('|')})$)(?=.*${grep})/`;
}

async function runOnNode({ env, files = portableFiles(), grep, jobs }) {
  say('running the JavaScript tests (mocha) on the portable host …');
  const args = ['--parallel', '--jobs', String(jobs), '--grep', selection('node', grep), ...files];
  const result = await runMocha({ command: [process.execPath], env: environment(env), args });
  return named('portable host', result);
}

function named(what, result) {
  return { ...result, failures: result.failures.map((failure) => `${what}: ${failure}`) };
}

// Runs a program to its end. Resolves to its output and how it ended.
function finish([program, ...args], env) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const limits = { timeout: LIMIT, killSignal: 'SIGKILL' };
    const child = spawn(program, args, { cwd: ROOT, env, stdio, ...limits });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (more) => (text += more));
    }
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, text }));
  });
}

// Runs a test file in a process of its own, which ends with its last test.
async function runFile({ host, command, file, folder, grep }) {
  const counted = path.join(folder, `${host}-${file.replaceAll('/', '-')}.json`);
  const args = [MOCHA, '--exit', '--retries', RETRIES, '--reporter', REPORTER];
  args.push('--grep', selection(host, grep), file);
  const env = { ...environment(process.env), MOCHA_COUNTS_FILE: counted };
  const { text, ...end } = await finish([...command, ...args], env);
  process.stdout.write(`\n${host}: ${file}${text}`);
  return named(host, judge(file, readJson(counted) ?? noCounts(), end));
}

// The files one after the other on each runtime, and the runtimes beside each other.
async function runOnRuntimes({ files = runtimeFiles(), grep }) {
  const { bun, deno } = require('../test/ecosystem/runtimes');
  const { isExcludedFile } = require('../test/portable/excluded.js');
  const hosts = { bun: [bun, '--bun'], deno: [deno, 'run', '--allow-all', '--no-lock'] };
  const parent = path.join(ROOT, 'target');
  fs.mkdirSync(parent, { recursive: true });
  const folder = fs.mkdtempSync(path.join(parent, 'runtimes-'));
  say('running the JavaScript tests (mocha) on Bun and Deno …');
  try {
    const lanes = Object.entries(hosts).map(async ([host, command]) => {
      const results = [];
      for (const file of files) {
        if (isExcludedFile(file, host)) continue;
        results.push(await runFile({ host, command, file, folder, grep }));
      }
      return results;
    });
    return (await Promise.all(lanes)).flat();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { runOnNode, runOnRuntimes };

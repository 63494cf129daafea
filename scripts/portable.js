'use strict';

// Runs the tests on the portable host: with Node in one run of mocha, with Bun and Deno each file
// in a process of its own. test/portable/excluded.js names the tests that a host leaves out.

const os = require('node:os');
const { named, runMocha } = require('./mocha');
const { say } = require('./setup/process');
const { portableFiles, runtimeFiles } = require('./test-files');

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

async function runOnNode({ env, files = portableFiles(), grep }) {
  say('running the JavaScript tests (mocha) on the portable host …');
  const jobs = String(os.availableParallelism());
  const args = ['--parallel', '--jobs', jobs, '--grep', selection('node', grep), ...files];
  const result = await runMocha({ command: [process.execPath], env: environment(env), args });
  return named('portable host', result);
}

// Runs a test file in a process of its own, which ends with its last test.
async function runFile({ host, command, file, grep }) {
  const args = ['--exit', '--retries', RETRIES, '--grep', selection(host, grep), file];
  const env = environment(process.env);
  const title = `${host}: ${file}`;
  return named(title, await runMocha({ command, env, args, title, limit: LIMIT }));
}

// The files one after the other on each runtime, and the runtimes beside each other.
async function runOnRuntimes({ files = runtimeFiles(), grep }) {
  const { bun, deno } = require('../test/ecosystem/runtimes');
  const { isExcludedFile } = require('../test/portable/excluded.js');
  const hosts = { bun: [bun, '--bun'], deno: [deno, 'run', '--allow-all', '--no-lock'] };
  say('running the JavaScript tests (mocha) on Bun and Deno …');
  const lanes = Object.entries(hosts).map(async ([host, command]) => {
    const results = [];
    for (const file of files.filter((each) => !isExcludedFile(each, host))) {
      results.push(await runFile({ host, command, file, grep }));
    }
    return results;
  });
  return (await Promise.all(lanes)).flat();
}

module.exports = { runOnNode, runOnRuntimes };

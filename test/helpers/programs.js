'use strict';

// Runs programs, each in a process of its own. Tests that require this file, and not loop.js, need
// no other Node than the one that runs them.

const { spawn } = require('node:child_process');
const path = require('node:path');

const ROOT = path.join(__dirname, '../..');
const FIXTURES = path.join(ROOT, 'test', 'fixtures');

// Far longer than any program needs: one that reaches it hangs.
const LIMIT = 60_000;

const AT_ONCE = 2;

// Runs a program to its end. Returns its output, and its exit code or the signal that ended it.
function run(node, args, settings = {}) {
  const { input, cwd = FIXTURES, env = process.env, timeout = LIMIT, onStart } = settings;
  return new Promise((resolve, reject) => {
    const options = { cwd, env, timeout, killSignal: 'SIGKILL' };
    const child = spawn(node.path, [...(node.args ?? []), ...args], options);
    const result = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => (result[name] += text));
    }
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...result }));
    // A program may end without reading its input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    onStart?.(child);
  });
}

// Calls `work` for every item, a few at a time. The results are in the order of the items.
async function mapSome(items, work) {
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return results;
}

module.exports = { FIXTURES, LIMIT, ROOT, mapSome, run };

'use strict';

// How set-up speaks and how it runs other programs: progress lines, errors that are meant for a
// person, and child processes. It does not know what any of these programs are for.

const { spawn, spawnSync } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '..', '..');

// An error whose message is all that a person needs: it is printed without a stack.
class SetupError extends Error {
  constructor(message) {
    super(message);
    this.name = 'SetupError';
  }
}

// Progress goes to standard error, so that standard output stays the main job's own.
function say(text) {
  process.stderr.write(`[uv-scheduler] ${text}\n`);
}

// Runs a program whose output the person sees. True when it succeeded.
function succeeds(command, args, options) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  return result.status === 0;
}

// Runs a program for what it prints. Null when there is no such program or it failed.
function output(command, args, options) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...options,
  });
  return result.status === 0 ? result.stdout.trim() : null;
}

// Runs a program that has much to say and little that matters: what it printed is shown only when
// it fails. True when it succeeded.
function succeedsQuietly(command, args, options) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (result.status === 0) return true;
  process.stderr.write(`${result.stdout || ''}${result.stderr || ''}`);
  if (result.error) process.stderr.write(`${command}: ${result.error.message}\n`);
  return false;
}

function report(error) {
  const text = error instanceof SetupError ? error.message : error.stack;
  process.stderr.write(`\n[uv-scheduler] ${text}\n`);
}

// Runs a script's main function; its resolved value is the exit code.
function runMain(main) {
  Promise.resolve()
    .then(main)
    .then((code) => {
      process.exitCode = code;
    })
    .catch((error) => {
      report(error);
      process.exitCode = 1;
    });
}

// Runs a program of the project in its own process, with what this one was told; resolves to its
// exit code.
function runProgram(node, file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [file, ...args], { stdio: 'inherit' });
    // The program decides when to stop. A terminal sends Ctrl-C to both processes, so only the
    // signal that is sent to this process alone is passed on.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      resolve(signal ? 128 + os.constants.signals[signal] : code);
    });
  });
}

module.exports = {
  ROOT,
  SetupError,
  say,
  succeeds,
  output,
  succeedsQuietly,
  report,
  runMain,
  runProgram,
};

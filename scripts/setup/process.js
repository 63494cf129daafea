'use strict';

// The base of all commands of the project: progress and errors for the user, the command's
// arguments, whose errors say how the command is used, and child processes.

const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { parseArgs } = require('node:util');

const ROOT = path.resolve(__dirname, '..', '..');

const MAX_OUTPUT = 64 * 1024 * 1024;
const MAX_NUMBER = 2 ** 31 - 1;

// An error whose message is printed without a stack, because it tells the user enough.
class SetupError extends Error {
  name = 'SetupError';
}

// Prints progress to standard error, which leaves standard output to the main job.
function say(text) {
  process.stderr.write(`[uv-scheduler] ${text}\n`);
}

// Returns the options, which are those of parseArgs(), and as `names` the other arguments.
function readArguments(args, usage, options = {}, allowPositionals = false) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals });
    return { ...values, names: positionals };
  } catch (error) {
    throw usageError(error.message.split('. ')[0], usage);
  }
}

function usageError(reason, usage) {
  return new SetupError(`${reason}.\nUsage: ${usage}`);
}

// Throws unless the name is one of these. `what` says what they name.
function checkName(what, name, names) {
  if (names.includes(name)) return;
  const reason = name === undefined ? `No ${what} is named` : `There is no ${what} "${name}"`;
  throw new SetupError(`${reason}. These are there: ${names.join(', ')}`);
}

// Converts the text of an option to a whole number, from `least` on; undefined remains.
function toNumber(option, text, usage, least = 1) {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= MAX_NUMBER) return number;
  throw usageError(`--${option} takes a whole number from ${least} on, not "${text}"`, usage);
}

const hasText = (file, text) => fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text;

const run = (command, args, options) =>
  spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: MAX_OUTPUT, ...options });

// Runs a program and shows its output, with `isQuiet` only if it fails. Returns true on success, or
// says how the program ended.
function succeeds(command, args, { isQuiet = false, ...options } = {}) {
  const stdio = isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  const { status, signal, stdout, stderr, error } = run(command, args, { stdio, ...options });
  if (status === 0) return true;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  const end = signal ?? `exit code ${status}`;
  say(error?.message ?? `${path.basename(command)} ended with ${end}`);
  return false;
}

// Does so quietly, and throws an error with this message if the program fails.
function runQuietly(message, command, args, options) {
  if (!succeeds(command, args, { isQuiet: true, ...options })) throw new SetupError(message);
}

// Runs a program beside others. Resolves to its exit `code` or `signal`, and to what it has printed
// unless `stdio` lets it be shown at once: `stdout`, `stderr`, and both as `text`. After a `limit`
// in ms, if there is one, it is killed with all that it has started.
async function runBeside(command, args, { priority = 0, limit, ...options } = {}) {
  const stdio = ['ignore', 'pipe', 'pipe'];
  const isGroup = limit !== undefined && process.platform !== 'win32';
  const child = spawn(command, args, { cwd: ROOT, stdio, detached: isGroup, ...options });
  const ended = once(child, 'close');
  if (priority !== 0 && child.pid !== undefined) os.setPriority(child.pid, priority);
  const release = limit === undefined ? () => {} : limitTime(child, limit, isGroup);
  const printed = { stdout: '', stderr: '', text: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name]?.setEncoding('utf8').on('data', (part) => {
      printed[name] += part;
      printed.text += part;
    });
  }
  try {
    const [code, signal] = await ended;
    return { code, signal, ...printed };
  } finally {
    release();
  }
}

// Kills a child, or its process group, after so many ms, or when this process ends: Ctrl-C does not
// reach the group. Returns a function to call at the end of the child, which kills the others.
function limitTime({ pid }, limit, isGroup) {
  const kill = () => {
    try {
      process.kill(isGroup ? -pid : pid, 'SIGKILL');
    } catch {
      // None is left.
    }
  };
  const stop = () => process.exit(128 + os.constants.signals.SIGINT);
  process.on('exit', kill).on('SIGINT', stop);
  const timer = setTimeout(kill, limit);
  return () => {
    clearTimeout(timer);
    process.off('exit', kill).off('SIGINT', stop);
    if (isGroup) kill();
  };
}

// Does so and shows its output at its end. Resolves to true on success.
async function succeedsBeside(command, args, options) {
  const { code, text } = await runBeside(command, args, options);
  process.stderr.write(text);
  return code === 0;
}

// Runs a program and returns its output, or null if it does not exist or failed.
function output(command, args, options) {
  const result = run(command, args, { stdio: ['ignore', 'pipe', 'ignore'], ...options });
  return result.status === 0 ? result.stdout.trim() : null;
}

// Resolves to the results of `run(item)`, each of which begins when the one before has ended.
async function inTurn(items, run) {
  const results = [];
  for (const item of items) results.push(await run(item));
  return results;
}

function printTable(head, rows) {
  // Set-up installs it first.
  const Table = require('cli-table3');
  const table = new Table({ head, style: { head: [], border: [] } });
  table.push(...rows);
  process.stdout.write(`${table}\n`);
}

function report(error) {
  const text = error instanceof SetupError ? error.message : error.stack;
  process.stderr.write(`\n[uv-scheduler] ${text}\n`);
}

// Runs a script's main function with its arguments; its resolved value is the exit code.
async function runMain(main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    report(error);
    process.exitCode = 1;
  }
}

// Runs a program of the project in its own process; resolves to its exit code.
async function runProgram(command, args, options) {
  const child = spawn(command, args, { stdio: 'inherit', ...options });
  // The program decides when to stop. A terminal sends Ctrl-C to both processes, so this process
  // passes on only SIGTERM.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code, signal] = await once(child, 'exit');
  return signal ? 128 + os.constants.signals[signal] : code;
}

module.exports = {
  ROOT, SetupError, checkName, hasText, inTurn, output, printTable, readArguments, report,
  runBeside, runMain, runProgram, runQuietly, say, succeeds, succeedsBeside, toNumber, usageError,
};

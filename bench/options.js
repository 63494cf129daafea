'use strict';

// What the benchmarks with a folder of their own share in reading their command lines. It requires
// only modules that are present before set-up installs any.

const { parseArgs } = require('node:util');

class UsageError extends Error {}

/** @throws {UsageError} */
function parse(args, options) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function toNumber(name, text, min, max, integer) {
  const value = Number(text);
  if (text.trim() === '' || !(value >= min && value <= max) || integer && value % 1 !== 0) {
    throw new UsageError(`--${name} must be ${integer ? 'an integer' : 'a number'} `
      + `from ${min} to ${max}, not '${text}'`);
  }
  return value;
}

/** Returns a function that takes one of the choices. */
const toChoice = (name, choices) => (text) => {
  if (choices.includes(text)) return text;
  throw new UsageError(`--${name} must be of ${choices.join(', ')}, not '${text}'`);
};

function toPath(name, text) {
  if (text !== '') return text;
  throw new UsageError(`--${name} must be a path, not ''`);
}

const toNode = (text) => (text === undefined ? null : toNumber('node', text, 1, 999, true));

/** Returns the options; or prints the error or the help that was asked for, and returns null. */
function readOrExplain(command, usage, read) {
  try {
    const options = read();
    if (!options.help) return options;
    process.stdout.write(usage);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${command}: ${error.message}\n\n${usage}`);
    process.exitCode = 2;
  }
  return null;
}

module.exports = { UsageError, parse, readOrExplain, toChoice, toNode, toNumber, toPath };

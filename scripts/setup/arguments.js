'use strict';

// Reads the arguments of the project's commands. Each error says how the command is used.

const { parseArgs } = require('node:util');
const { SetupError } = require('./process');

const MAX_NUMBER = 2 ** 31 - 1;

// Returns the options, and the other arguments as `names`. `options` are those of parseArgs().
function readArguments(args, usage, options = {}) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
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

module.exports = { checkName, readArguments, toNumber, usageError };

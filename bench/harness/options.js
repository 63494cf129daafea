'use strict';

// The command lines of the benchmarks. A benchmark lists its options, and gets their values, or its
// help or an error is printed.

const { parseArgs } = require('node:util');

const COLUMNS = 98;

class UsageError extends Error {}

function toNumber(name, text, { min, max, isInteger = false }) {
  const value = Number(text);
  if (text.trim() === '' || !(value >= min && value <= max) || isInteger && value % 1 !== 0) {
    throw new UsageError(`--${name} must be ${isInteger ? 'an integer' : 'a number'} `
      + `from ${min} to ${max}, not '${text}'`);
  }
  return value;
}

function toChoice(name, text, choices) {
  if (choices.includes(text)) return text;
  throw new UsageError(`--${name} must be of ${choices.join(', ')}, not '${text}'`);
}

const toList = (text, toItem) => [...new Set(text.split(',').map((item) => toItem(item.trim())))];

function toPath(name, text) {
  if (text !== '') return text;
  throw new UsageError(`--${name} must be a path, not ''`);
}

function toRegex(name, text) {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new UsageError(`--${name} must be a regular expression: ${error.message}`);
  }
}

// The kinds of options. `fallback` is the default, and `quick` the one with --quick. `limits` are
// { min, max, isInteger, quick }.

const number = (text, fallback, limits) => ({
  hint: 'N', text, fallback, quick: limits.quick,
  read: (name, value) => toNumber(name, value, limits),
});

const numbers = (text, fallback, limits) => ({
  hint: 'LIST', text, fallback, quick: limits.quick,
  read: (name, value) => toList(value, (item) => toNumber(name, item, limits)),
});

// Some of the choices, in their order.
const choices = (text, all, { fallback = all, quick } = {}) => ({
  hint: 'LIST', fallback, quick, isAll: fallback === all,
  text: `${text} ${all.join(', ')}`,
  read(name, value) {
    const chosen = toList(value, (item) => toChoice(name, item, all));
    return all.filter((item) => chosen.includes(item));
  },
});

const file = (text, { hint = 'FILE', fallback = null } = {}) =>
  ({ hint, text, fallback, read: toPath });

const regex = (text) => ({ hint: 'REGEX', text, fallback: /(?:)/, isAll: true, read: toRegex });

const flag = (text) => ({ text, fallback: false });

const seconds = (fallback, quick) =>
  number('measure each row for N seconds a round', fallback, { min: 0.1, max: 3600, quick });

const rounds = (fallback, quick) => number('measure each row N times', fallback,
  { min: 1, max: 1000, isInteger: true, quick });

const COMMON = {
  json: file('write the results to FILE'),
  node: {
    hint: 'MAJOR', text: "measure with this version of Node from test/nodes, or with 'all' of them",
    fallback: null,
    read: (name, value) => (value === 'all' ? value
      : toNumber(name, value, { min: 1, max: 999, isInteger: true })),
  },
  help: flag('print this'),
};

// Returns lines of words that are at most so long.
function wrap(text, length) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1).length + word.length >= length) lines.push('');
    lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines;
}

function explain(command, about, options) {
  const names = Object.entries(options).map(([name, { hint = '' }]) => `  --${name} ${hint}`);
  const width = 2 + Math.max(...names.map(({ length }) => length));
  const lines = Object.values(options).flatMap(({ text, fallback, isAll }, i) => {
    const value = isAll ? 'all' : fallback;
    const suffix = value === null || value === false ? '' : ` (default: ${value})`;
    return wrap(text + suffix, COLUMNS - width)
      .map((line, at) => (at === 0 ? names[i] : '').padEnd(width) + line);
  });
  return `usage: npm run ${command} -- [options]\n\n${about}\n\n${lines.join('\n')}\n`;
}

/** @throws {UsageError} */
function read(argv, options) {
  let values;
  try {
    const types = Object.entries(options).map(([name, { read: toValue }]) =>
      [name, { type: toValue ? 'string' : 'boolean' }]);
    ({ values } = parseArgs({ args: argv, options: Object.fromEntries(types) }));
  } catch (error) {
    throw new UsageError(error.message);
  }
  return Object.fromEntries(Object.entries(options).map(([name, option]) => {
    const given = values[name];
    if (given !== undefined) return [name, option.read ? option.read(name, given) : given];
    return [name, values.quick && option.quick !== undefined ? option.quick : option.fallback];
  }));
}

// Returns a function that takes arguments, and returns the values of the options; or null, if it
// has printed an error or the help that was asked for.
function createOptions(command, about, own) {
  const options = { ...own, ...COMMON };
  return (argv) => {
    try {
      const values = read(argv, options);
      if (!values.help) return values;
      process.stdout.write(explain(command, about, options));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const text = explain(command, about, options);
      process.stderr.write(`${command}: ${error.message}\n\n${text}`);
      process.exitCode = 2;
    }
    return null;
  };
}

module.exports = {
  choices, createOptions, file, flag, number, numbers, regex, rounds, seconds,
};

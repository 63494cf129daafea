'use strict';

// The command lines of the benchmarks. A benchmark lists its options, and gets their values, or its
// help or an error is printed.

const { parseArgs } = require('node:util');

const COLUMNS = 98;

class UsageError extends Error {}

// The kinds of options. `parse` returns the value of a text, or undefined unless it is `what`; a
// list has several. `fallback` is the default, and `quick` the one with --quick.

function number(text, fallback, { min, max, isInteger = false, quick }) {
  const parse = (given) => {
    const value = given.trim() === '' ? NaN : Number(given);
    return value >= min && value <= max && !(isInteger && value % 1 !== 0) ? value : undefined;
  };
  const what = `${isInteger ? 'an integer' : 'a number'} from ${min} to ${max}`;
  return { hint: 'N', text, fallback, quick, what, parse };
}

const numbers = (...args) => ({ ...number(...args), hint: 'LIST', toList: (items) => items });

// Some of the choices, in their order.
const choices = (text, all, { quick } = {}) => ({
  hint: 'LIST', text: `${text} ${all.join(', ')}`, fallback: all, isAll: true, quick,
  what: `of ${all.join(', ')}`, parse: (given) => all.find((choice) => choice === given),
  toList: (items) => all.filter((choice) => items.includes(choice)),
});

const file = (text) =>
  ({ hint: 'FILE', text, fallback: null, what: 'a path', parse: (given) => given || undefined });

const regex = (text) => ({
  hint: 'REGEX', text, fallback: /(?:)/, isAll: true, what: 'a regular expression',
  parse(given) {
    try {
      return new RegExp(given);
    } catch {
      return undefined;
    }
  },
});

const flag = (text) => ({ text, fallback: false });

const seconds = (fallback, quick) =>
  number('measure each row for N seconds a round', fallback, { min: 0.1, max: 3600, quick });

const COUNT = { min: 1, max: 1000, isInteger: true };

const rounds = (fallback, quick) =>
  number('measure each row N times', fallback, { ...COUNT, quick });

const major = number(
  "measure with this version of Node from test/nodes, or with 'all' of them", null, COUNT);

const COMMON = {
  json: file('write the results to FILE'),
  node: {
    ...major, hint: 'MAJOR', parse: (given) => (given === 'all' ? given : major.parse(given)),
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

// Returns the value of an option that was given.
function toValue(name, { what, parse, toList }, given) {
  if (parse === undefined) return given;
  const texts = toList ? given.split(',').map((text) => text.trim()) : [given];
  const values = texts.map(parse);
  const wrong = texts[values.indexOf(undefined)];
  if (wrong !== undefined) throw new UsageError(`--${name} must be ${what}, not '${wrong}'`);
  return toList ? toList([...new Set(values)]) : values[0];
}

/** @throws {UsageError} */
function read(argv, options) {
  let values;
  try {
    const types = Object.entries(options).map(([name, { parse }]) =>
      [name, { type: parse ? 'string' : 'boolean' }]);
    ({ values } = parseArgs({ args: argv, options: Object.fromEntries(types) }));
  } catch (error) {
    throw new UsageError(error.message);
  }
  return Object.fromEntries(Object.entries(options).map(([name, option]) => {
    if (values[name] !== undefined) return [name, toValue(name, option, values[name])];
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

module.exports = { choices, createOptions, file, flag, number, numbers, regex, rounds, seconds };

'use strict';

// The command lines of the benchmarks. A benchmark lists its options, and gets their values, or
// commander prints its help or an error.

const { Command, CommanderError, InvalidArgumentError, Option } = require('commander');

// The kinds of options. `parse` returns the value of a text, or undefined unless it is `what`.
// `fallback` is the default, and `quick` the one with --quick.

function number(text, fallback, { min, max, isInteger = false, quick }) {
  const parse = (given) => {
    const value = given.trim() === '' ? NaN : Number(given);
    return value >= min && value <= max && !(isInteger && value % 1 !== 0) ? value : undefined;
  };
  const what = `${isInteger ? 'an integer' : 'a number'} from ${min} to ${max}`;
  return { hint: 'N', text, fallback, quick, what, parse };
}

// Several values with commas between them. `toList` makes the value of the option of them.
const listOf = ({ what, parse, ...option }, toList) => ({
  ...option, hint: 'LIST', what: `a list, each ${what}`,
  parse(given) {
    const values = given.split(',').map((text) => parse(text.trim()));
    return values.includes(undefined) ? undefined : toList(values);
  },
});

const numbers = (...args) => listOf(number(...args), (values) => [...new Set(values)]);

// Some of the choices, in their order.
const choices = (text, all, { quick } = {}) => listOf({
  text: `${text} ${all.join(', ')}`, fallback: all, isAll: true, quick,
  what: `of ${all.join(', ')}`, parse: (given) => all.find((choice) => choice === given),
}, (chosen) => all.filter((choice) => chosen.includes(choice)));

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

const warm = (fallback) =>
  number('send visitors for N seconds before that', fallback, { min: 0, max: 600 });

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
};

const valueOf = ({ what, parse }) => (given) => {
  const value = parse(given);
  if (value === undefined) throw new InvalidArgumentError(`It must be ${what}.`);
  return value;
};

// Returns a function that takes arguments, and returns the values of the options; or null, if
// commander has printed an error or the help that was asked for.
function createOptions(command, about, own) {
  const options = Object.entries({ ...own, ...COMMON });
  const program = new Command(`npm run ${command} --`).usage('[options]')
    .description(about.replaceAll('\n', ' ')).helpOption('--help', 'print this')
    .exitOverride().showHelpAfterError();
  for (const [name, kind] of options) {
    const { hint, text, fallback, isAll } = kind;
    const option = new Option(hint === undefined ? `--${name}` : `--${name} <${hint}>`, text);
    if (fallback) option.default(fallback, isAll && 'all');
    if (hint !== undefined) option.argParser(valueOf(kind));
    program.addOption(option);
  }
  return (argv) => {
    try {
      program.parse(argv, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return null;
    }
    return Object.fromEntries(options.map(([name, { fallback, quick = fallback }]) => {
      const isGiven = program.getOptionValueSource(name) === 'cli';
      if (isGiven) return [name, program.getOptionValue(name)];
      return [name, program.getOptionValue('quick') ? quick : fallback];
    }));
  };
}

module.exports = {
  choices, createOptions, file, flag, number, numbers, regex, rounds, seconds, warm,
};

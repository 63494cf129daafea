'use strict';

// `npm run check mutants`: changes the code in ways that the tests have to notice. This file
// handles the arguments and the output; test/mutants/ has the changes.

const { readArguments, toNumber, usageError } = require('../setup/process');

const USAGE = `npm run check mutants -- [--only REGEX] [--count N] [--seed TEXT]
  --only   the mutants whose files or names match
  --count  how many of these (all)
  --seed   the text that decides which (the hash of the commit)`;

function toPattern(text) {
  try {
    return new RegExp(text);
  } catch {
    throw usageError(`--only takes a regular expression, not "${text}"`, USAGE);
  }
}

module.exports = async (args) => {
  const text = { type: 'string' };
  const { only = '', count, seed } =
    readArguments(args, USAGE, { only: text, count: text, seed: text });
  const options = { only: toPattern(only), count: toNumber('count', count, USAGE), seed };
  const { passed, failed, failures } = await require('../mutants').runMutants(options);
  process.stdout.write('\n');
  for (const failure of failures) process.stdout.write(`${failure}\n`);
  process.stdout.write(`${passed} killed, ${failed} survived\n`);
  return failed === 0 ? 0 : 1;
};

'use strict';

// Reads the arguments of `npm run bench`.

const { parseArgs } = require('node:util');

const USAGE = `usage: npm run bench -- [options]

  --only REGEX  run only the cases whose names match
  --rounds N    measure every contender N times (default: 5, with --quick 2)
  --quick       make fewer and smaller runs, without the cases of 10^6 tasks: half a minute
  --json        print the results, with all samples, as JSON: an array, one element for each Node
  --node MAJOR  run with this version from test/nodes, or with 'all' of them, one after the other
  --list        print the names of the cases
  --help        print this
`;

const DEFAULT_ROUNDS = 5;
const QUICK_ROUNDS = 2;
const MOST_ROUNDS = 1000;

class UsageError extends Error {
  constructor(message) {
    super(`${message}\n${USAGE}`);
    this.name = 'UsageError';
  }
}

function toRegex(text) {
  if (text === undefined) return /(?:)/;
  try {
    return new RegExp(text);
  } catch (error) {
    throw new UsageError(`--only must be a regular expression: ${error.message}`);
  }
}

function toRounds(text, fallback) {
  if (text === undefined) return fallback;
  const rounds = Number(text);
  if (!/^\d+$/.test(text) || rounds < 1 || rounds > MOST_ROUNDS) {
    throw new UsageError(`--rounds must be a whole number from 1 to ${MOST_ROUNDS}, not '${text}'`);
  }
  return rounds;
}

function toNode(text) {
  if (text === undefined || text === 'all') return text;
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--node must be a major version or 'all', not '${text}'`);
}

function readArguments(argv) {
  let values;
  try {
    const boolean = { type: 'boolean', default: false };
    const string = { type: 'string' };
    ({ values } = parseArgs({
      args: argv,
      options: {
        only: string,
        rounds: string,
        quick: boolean,
        json: boolean,
        node: string,
        list: boolean,
        help: boolean,
      },
    }));
  } catch (error) {
    throw new UsageError(error.message);
  }
  const { quick, json, list, help } = values;
  return {
    only: toRegex(values.only),
    rounds: toRounds(values.rounds, quick ? QUICK_ROUNDS : DEFAULT_ROUNDS),
    quick,
    json,
    node: toNode(values.node),
    list,
    help,
  };
}

// Turns options back into arguments, without `node`.
function toArguments({ only, rounds, quick, json }) {
  const flags = Object.entries({ '--quick': quick, '--json': json });
  const set = flags.filter(([, isSet]) => isSet).map(([flag]) => flag);
  return [`--only=${only.source}`, `--rounds=${rounds}`, ...set];
}

module.exports = { USAGE, UsageError, readArguments, toArguments };

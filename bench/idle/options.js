'use strict';

// Parses the command line: the options, their defaults and their errors. It requires only modules
// that are present before set-up installs any.

const { parseArgs } = require('node:util');

const USAGE = `usage: npm run bench:idle -- [options]

  --seconds N        measure each configuration for N seconds a round (default: 10)
  --settle N         let each run for N seconds before that (default: 3)
  --rounds N         measure each configuration N times (default: 3)
  --quota LIST       quotas of the grid, in percent of a processor (default: 50,25,200)
  --load LIST        requests, in percent of the quota or of a processor (default: 10,30,60)
  --contenders LIST  compare these of container, loop, immediate, bullmq and fleet (default: all,
                     the last two where a redis-server is)
  --only LIST        only these parts of grid, batch, shared, workers, halved and neighbour
  --quick            a quota of 50 %, a load of 30 %, one round of 5 seconds
  --json FILE        write the results to FILE
  --svg FILE         write the plot of the grid to FILE (default: none)
  --node MAJOR       measure with this major version of Node from test/nodes
  --help             print this
`;

const PARTS = ['grid', 'batch', 'shared', 'workers', 'halved', 'neighbour'];
const CONTENDERS = ['container', 'loop', 'immediate', 'bullmq', 'fleet'];

class UsageError extends Error {}

function toNumber(name, text, min, max, integer) {
  const value = Number(text);
  if (text.trim() === '' || !(value >= min && value <= max) || integer && value % 1 !== 0) {
    throw new UsageError(`--${name} must be ${integer ? 'an integer' : 'a number'} `
      + `from ${min} to ${max}, not '${text}'`);
  }
  return value;
}

const toList = (text, convert) => [...new Set(text.split(','))].map((item) => convert(item.trim()));

const toChoice = (name, choices) => (text) => {
  if (choices.includes(text)) return text;
  throw new UsageError(`--${name} must be of ${choices.join(', ')}, not '${text}'`);
};

function toPath(name, text) {
  if (text === undefined) return null;
  if (text !== '') return text;
  throw new UsageError(`--${name} must be a path, not ''`);
}

function parse(argv) {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  try {
    return parseArgs({
      args: argv,
      options: {
        seconds: text, settle: text, rounds: text, quota: text, load: text, contenders: text,
        only: text, quick: flag, json: text, svg: text, node: text, help: flag,
      },
    }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}

/** @throws {UsageError} */
function readOptions(argv) {
  const values = parse(argv);
  const either = (quick, full) => (values.quick ? quick : full);
  const { seconds = either('5', '10'), settle = '3', rounds = either('1', '3') } = values;
  const { quota = either('50', '50,25,200'), load = either('30', '10,30,60') } = values;
  const { contenders = CONTENDERS.join(), only = PARTS.join() } = values;
  return {
    help: values.help,
    seconds: toNumber('seconds', seconds, 1, 600),
    settle: toNumber('settle', settle, 0.1, 600),
    rounds: toNumber('rounds', rounds, 1, 100, true),
    quotas: toList(quota, (item) => toNumber('quota', item, 1, 10_000)),
    loads: toList(load, (item) => toNumber('load', item, 1, 90)),
    contenders: toList(contenders, toChoice('contenders', CONTENDERS)),
    // BullMQ is left out silently only where nobody asked for it.
    chosen: values.contenders !== undefined,
    parts: toList(only, toChoice('only', PARTS)),
    json: toPath('json', values.json),
    svg: toPath('svg', values.svg),
    node: values.node === undefined ? null : toNumber('node', values.node, 1, 999, true),
  };
}

/** Returns the options; or prints the error or the help that was asked for, and returns null. */
function readOptionsOrExplain(argv) {
  try {
    const options = readOptions(argv);
    if (!options.help) return options;
    process.stdout.write(USAGE);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench:idle: ${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  }
  return null;
}

module.exports = { readOptionsOrExplain };

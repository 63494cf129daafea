'use strict';

// Parses the command line: the options, their defaults and their errors. It requires only modules
// that are present before set-up installs any.

const { parse, readOrExplain, toChoice, toNode, toNumber, toPath } = require('../options');
const { PROGRAMS } = require('./list');

const NAMES = PROGRAMS.map(({ name }) => name);

const USAGE = `usage: npm run bench frameworks -- [options]

  --seconds N   let visitors arrive at random for N seconds a run (default: 4)
  --runs N      measure each configuration N times (default: 3)
  --only LIST   measure only these of ${NAMES.join(', ')}
  --json FILE   write the results to FILE
  --write       put the table into docs/frameworks.md
  --node MAJOR  measure with this major version of Node from test/nodes
  --help        print this

It takes about 30 minutes.
`;

const toProgram = toChoice('only', NAMES);

/** @throws {UsageError} */
function readOptions(args) {
  const text = (fallback) => ({ type: 'string', default: fallback });
  const flag = { type: 'boolean', default: false };
  const values = parse(args, {
    seconds: text('4'), runs: text('3'), only: text(NAMES.join()), json: text(), write: flag,
    node: text(), help: flag,
  });
  return {
    help: values.help,
    seconds: toNumber('seconds', values.seconds, 0.1, 600),
    runs: toNumber('runs', values.runs, 1, 100, true),
    only: values.only.split(',').map((name) => toProgram(name.trim())),
    json: values.json === undefined ? null : toPath('json', values.json),
    write: values.write,
    node: toNode(values.node),
  };
}

const readOptionsOrExplain = (args) =>
  readOrExplain('bench:frameworks', USAGE, () => readOptions(args));

module.exports = { readOptionsOrExplain };

'use strict';

// Parses the command line: the options, their defaults and their errors. It requires only modules
// that are present before set-up installs any.

const { parse, readOrExplain, toChoice, toNode, toNumber, toPath } = require('../options');

const USAGE = `usage: npm run bench idle -- [options]

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

const toList = (text, convert) => [...new Set(text.split(','))].map((item) => convert(item.trim()));

const toOptionalPath = (name, text) => (text === undefined ? null : toPath(name, text));

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean', default: false };

const OPTIONS = {
  seconds: TEXT, settle: TEXT, rounds: TEXT, quota: TEXT, load: TEXT, contenders: TEXT,
  only: TEXT, quick: FLAG, json: TEXT, svg: TEXT, node: TEXT, help: FLAG,
};

/** @throws {UsageError} */
function readOptions(argv) {
  const values = parse(argv, OPTIONS);
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
    json: toOptionalPath('json', values.json),
    svg: toOptionalPath('svg', values.svg),
    node: toNode(values.node),
  };
}

const readOptionsOrExplain = (argv) => readOrExplain('bench:idle', USAGE, () => readOptions(argv));

module.exports = { readOptionsOrExplain };

'use strict';

// Parses the command line: the options, their defaults and their errors. It requires only modules
// that are present before set-up installs any.

const { parse, readOrExplain, toChoice, toNode, toNumber, toPath } = require('../options');

const USAGE = `usage: npm run bench equals -- [options]

Pages of one priority share the thread of a server. By default it takes five minutes.

  --seconds N        measure each row for N seconds (default: 60)
  --warm N           send requests for N seconds before that (default: 3)
  --runs N           measure each row N times, each time with other visitors (default: 1)
  --loads LIST       shares of the thread's time that the pages take (default: 0.6)
  --contenders LIST  compare these of plain, immediate, shouldYield and pieces (default: all)
  --quick            15 seconds for each row: a minute and a half
  --json FILE        write the results to FILE
  --node MAJOR       measure with this major version of Node from test/nodes
  --help             print this
`;

const WORKLOADS = ['mix'];
const CONTENDERS = ['plain', 'immediate', 'shouldYield', 'pieces'];

const toList = (text, convert) => [...new Set(text.split(',').map((item) => convert(item.trim())))];

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean', default: false };

const OPTIONS = {
  seconds: TEXT, warm: TEXT, runs: TEXT, loads: TEXT, contenders: TEXT, quick: FLAG, json: TEXT,
  node: TEXT, help: FLAG,
};

/** @throws {UsageError} */
function readOptions(argv) {
  const values = parse(argv, OPTIONS);
  const { seconds = values.quick ? '15' : '60', warm = '3', runs = '1', loads = '0.6' } = values;
  const { contenders = CONTENDERS.join() } = values;
  const chosen = toList(contenders, toChoice('contenders', CONTENDERS));
  return {
    help: values.help,
    seconds: toNumber('seconds', seconds, 0.5, 3600),
    warm: toNumber('warm', warm, 0, 600),
    runs: toNumber('runs', runs, 1, 100, true),
    workloads: WORKLOADS,
    loads: toList(loads, (item) => toNumber('loads', item, 0.05, 2)).sort((a, b) => a - b),
    contenders: CONTENDERS.filter((name) => chosen.includes(name)),
    json: values.json === undefined ? null : toPath('json', values.json),
    node: toNode(values.node),
  };
}

const readOptionsOrExplain = (argv) =>
  readOrExplain('bench:equals', USAGE, () => readOptions(argv));

module.exports = { readOptionsOrExplain };

'use strict';

// Parses the command line: the options, their defaults and their errors. It requires only modules
// that are present before set-up installs any.

const { parse, readOrExplain, toChoice, toNode, toNumber, toPath } = require('../options');

const USAGE = `usage: npm run bench overload -- [options]

Visitors arrive at a server that cannot serve them all. By default it takes 17 minutes.

  --seconds N        measure each row for N seconds; three times as long at loads up to 0.8
                     (default: 8)
  --warm N           send visitors for N seconds before that (default: 2)
  --burst N          how many seconds the burst lasts (default: 10)
  --runs N           measure each row N times, each time with other visitors (default: 1)
  --loads LIST       visitors, as a multiple of what the server can serve
                     (default: 0.5,0.8,1,1.5,2.5,4)
  --contenders LIST  compare these of plain, pressure, toobusy, priorities, admission and cutting
                     (default: all); the goals need plain, priorities and admission
  --only LIST        only these parts of loads, connections, http2 and burst
  --quick            the loads 0.8 and 2.5, 4 seconds each, and the burst: five minutes
  --json FILE        write the results to FILE
  --markdown FILE    write the table in Markdown to FILE
  --svg DIR          write the plots of the loads to DIR (default: none)
  --node MAJOR       measure with this major version of Node from test/nodes
  --help             print this
`;

const PARTS = ['loads', 'connections', 'http2', 'burst'];
const CONTENDERS = ['plain', 'pressure', 'toobusy', 'priorities', 'admission', 'cutting'];
const QUICK_PARTS = ['loads', 'burst'];

const toList = (text, convert) => [...new Set(text.split(',').map((item) => convert(item.trim())))];

const toOptionalPath = (name, text) => (text === undefined ? null : toPath(name, text));

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean', default: false };

const OPTIONS = {
  seconds: TEXT, warm: TEXT, burst: TEXT, runs: TEXT, loads: TEXT, contenders: TEXT, only: TEXT,
  quick: FLAG, json: TEXT, markdown: TEXT, svg: TEXT, node: TEXT, help: FLAG,
};

/** @throws {UsageError} */
function readOptions(argv) {
  const values = parse(argv, OPTIONS);
  const either = (quick, full) => (values.quick ? quick : full);
  const { seconds = either('4', '8'), warm = '2', burst = '10', runs = '1' } = values;
  const { loads = either('0.8,2.5', '0.5,0.8,1,1.5,2.5,4') } = values;
  const { contenders = CONTENDERS.join(), only = either(QUICK_PARTS, PARTS).join() } = values;
  const chosen = toList(contenders, toChoice('contenders', CONTENDERS));
  return {
    help: values.help,
    seconds: toNumber('seconds', seconds, 0.5, 600),
    warm: toNumber('warm', warm, 0, 600),
    burst: toNumber('burst', burst, 0.5, 600),
    runs: toNumber('runs', runs, 1, 100, true),
    loads: toList(loads, (item) => toNumber('loads', item, 0.1, 20)).sort((a, b) => a - b),
    contenders: CONTENDERS.filter((name) => chosen.includes(name)),
    parts: toList(only, toChoice('only', PARTS)),
    json: toOptionalPath('json', values.json),
    markdown: toOptionalPath('markdown', values.markdown),
    svg: toOptionalPath('svg', values.svg),
    node: toNode(values.node),
  };
}

const readOptionsOrExplain = (argv) =>
  readOrExplain('bench:overload', USAGE, () => readOptions(argv));

module.exports = { readOptionsOrExplain };

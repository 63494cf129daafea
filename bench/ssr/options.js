'use strict';

// Parses the command line: the options, their defaults and their errors. It requires only modules
// that are present before set-up installs any.

const {
  UsageError, parse, readOrExplain, toChoice, toNode, toNumber, toPath,
} = require('../options');

const USAGE = `usage: npm run bench ssr -- [options]

  --seconds N        measure each configuration for at least N seconds a round, and up to the
                     end of the list of pages (default: 1.2)
  --rounds N         measure each configuration N times (default: 4)
  --pages LIST       how many pages are requested at once (default: 1,4,16)
  --background N     documents indexed at once for each page requested at once (default: as many
                     as a page has sections, so that both kinds of work are offered alike)
  --open N           let visitors arrive at random for N seconds a round, on synthetic pages, and
                     measure a synthetic loop; 0: neither (default: 8)
  --strategies LIST  compare these of immediate, timers, polyfill, prioritized and unchunked
                     (default: all but the last); the goals need immediate and prioritized
  --json FILE        write the results to FILE
  --svg DIR          write the plots to DIR (default: docs)
  --node MAJOR       measure with this major version of Node from test/nodes
  --help             print this
`;

const STRATEGIES = ['immediate', 'timers', 'polyfill', 'prioritized', 'unchunked'];

function toList(name, text, convert) {
  const list = text.split(',').map((item) => convert(item.trim()));
  if (new Set(list).size < list.length) {
    throw new UsageError(`--${name} must name nothing twice, not '${text}'`);
  }
  return list;
}

const toStrategy = toChoice('strategies', STRATEGIES);

/** @throws {UsageError} */
function readOptions(argv) {
  const text = (fallback) => ({ type: 'string', default: fallback });
  const values = parse(argv, {
    seconds: text('1.2'),
    rounds: text('4'),
    pages: text('1,4,16'),
    background: text(),
    open: text('8'),
    strategies: text(STRATEGIES.slice(0, -1).join()),
    json: text(),
    svg: text('docs'),
    node: text(),
    help: { type: 'boolean', default: false },
  });
  return {
    help: values.help,
    seconds: toNumber('seconds', values.seconds, 0.1, 600),
    rounds: toNumber('rounds', values.rounds, 1, 100, true),
    pages: toList('pages', values.pages, (item) => toNumber('pages', item, 1, 256, true))
      .sort((a, b) => a - b),
    background: values.background === undefined ? null
      : toNumber('background', values.background, 0.001, 100),
    open: toNumber('open', values.open, 0, 600),
    strategies: toList('strategies', values.strategies, toStrategy),
    json: values.json === undefined ? null : toPath('json', values.json),
    svg: toPath('svg', values.svg),
    node: toNode(values.node),
  };
}

const readOptionsOrExplain = (argv) => readOrExplain('bench:ssr', USAGE, () => readOptions(argv));

module.exports = { readOptionsOrExplain };

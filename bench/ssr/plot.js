'use strict';

// Draws the plots: latency by percentile, with a line for each strategy, and two panels for each
// number of pages at once, without and with background work.

const { COLOURS, encodeStyles, linePlots, quantity, titleOf } = require('../plot');

// This project's own line is drawn last, on top.
const STYLES = {
  unchunked: { colour: COLOURS.grey, dash: [5, 3] },
  immediate: { colour: COLOURS.vermilion, dash: [9, 3] },
  timers: { colour: COLOURS.green, dash: [2, 3] },
  polyfill: { colour: COLOURS.purple, dash: [9, 3, 2, 3] },
  prioritized: { colour: COLOURS.blue, dash: [1, 0] },
};

const KINDS = { none: 'no background work', index: 'with index rebuild' };

// Each nine of a percentile takes the same space: 99 % is as far from 90 % as 90 % is from 0 %.
const nines = (p) => -Math.log10(1 - p);
const PERCENTILES = [0, 0.5, 0.9, 0.99, 0.999, 0.9999];

const LATENCIES = [-1, 0, 1, 2, 3].flatMap((e) => [1, 2, 5].map((digit) => digit * 10 ** e));

const nameOf = (pages) => `${pages} ${pages === 1 ? 'page' : 'pages'} at once`;

function specify(what, title, results) {
  const shown = results.rows.filter(({ kind }) => kind in KINDS);
  const names = new Map(shown.map(({ strategy, name }) => [strategy, name]));
  const strategies = Object.keys(STYLES).filter((strategy) => names.has(strategy));
  const byStrategy = encodeStyles(STYLES, shown, 'strategy', (strategy) => names.get(strategy));
  const points = ({ pages, kind, name, distributions }) => distributions[what].map(([p, ms]) =>
    ({ pages: nameOf(pages), work: KINDS[kind], name, nines: nines(p), ms }));
  return {
    title: titleOf(title, 'A line ends where few samples lie beyond.', results),
    data: {
      values: strategies.flatMap((strategy) =>
        shown.filter((row) => row.strategy === strategy).flatMap(points)),
    },
    mark: { type: 'line', aria: false },
    width: 300,
    height: 230,
    spacing: { column: 36, row: 28 },
    encoding: {
      column: { field: 'pages', sort: shown.map((row) => nameOf(row.pages)), title: null },
      row: { field: 'work', title: null, header: { labelOrient: 'right' } },
      x: quantity('nines', 'percentile', { nice: false }, {
        values: PERCENTILES.map(nines),
        labelExpr: 'datum.value ? format(100 * (1 - pow(10, -datum.value)), ".4~r") : "min"',
        labelOverlap: false, labelFlush: false,
      }),
      y: quantity('ms', 'latency in ms', { type: 'log', nice: false }, { values: LATENCIES }),
      color: byStrategy('colour'),
      strokeDash: byStrategy('dash'),
    },
  };
}

const plot = (what, title) =>
  ({ file: `ssr-${what}-latency.svg`, specify: (results) => specify(what, title, results) });

const writePlots = linePlots([
  plot('page', 'Time until a page is complete'),
  plot('health', 'Time until /health is answered'),
]);

module.exports = { writePlots };

'use strict';

// Draws the grid: the p99 of requests against the background work that was done, with a panel for
// each quota and a point for each load and contender.

const fs = require('node:fs');

const { COLOURS, draw, encodeStyles, quantity, titleOf } = require('../plot');

const { NAMES } = require('./contenders');

const STYLES = {
  none: { colour: COLOURS.grey, shape: 'diamond' },
  container: { colour: COLOURS.blue, shape: 'circle' },
  loop: { colour: COLOURS.vermilion, shape: 'square' },
  immediate: { colour: COLOURS.green, shape: 'triangle-up' },
  bullmq: { colour: COLOURS.purple, shape: 'cross' },
  fleet: { colour: COLOURS.orange, shape: 'triangle-down' },
};

const TIMES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

const LEGEND = { columns: 3, symbolSize: 120 };

const percent = (share) => `${Math.round(share * 100)} %`;

const SUBTITLE = 'The figure at a point is the load: requests, in percent of the quota. '
  + 'Down and to the right is better.';

function specify(results) {
  const grid = results.cells.filter(({ part }) => part === 'grid');
  const values = grid.flatMap(({ quota, load, rows }) => rows.map((row) => ({
    quota: `quota ${percent(quota)} of a processor`,
    load: percent(load),
    contender: row.contender,
    name: row.name,
    work: Math.max(0, row.work ?? 0),
    p99: row.p99,
  })));
  const byContender = encodeStyles(STYLES, values, 'contender', (contender) => NAMES[contender]);
  const x = quantity('work', 'background work, of what requests leave',
    { domain: [0, 1.1] }, { format: '.0%', values: [0, 0.25, 0.5, 0.75, 1] });
  const y = quantity('p99', 'p99 of requests in ms',
    { type: 'log', domainMin: 2, nice: false }, { values: TIMES });
  return {
    title: titleOf('Requests beside background work', SUBTITLE, results),
    data: { values },
    facet: { column: { field: 'quota', title: null, sort: values.map(({ quota }) => quota) } },
    spec: {
      width: 270,
      height: 260,
      layer: [
        {
          mark: { type: 'point', filled: true, size: 90, aria: false },
          encoding: { x, y, color: byContender('colour'), shape: byContender('shape') },
        },
        {
          mark: { type: 'text', align: 'left', dx: 8, fontSize: 11, aria: false },
          encoding: { x, y, text: { field: 'load' }, color: byContender('colour') },
        },
      ],
    },
  };
}

async function writePlot(file, results) {
  fs.writeFileSync(file, await draw(specify(results), LEGEND));
}

module.exports = { writePlot };

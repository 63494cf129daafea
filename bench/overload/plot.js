'use strict';

// Draws the plots, against the load: goodput and who is served, and the p99 of those who are.

const { COLOURS, encodeStyles, linePlots, quantity, titleOf } = require('../plot');

const { PATIENCE } = require('./cells');
const { NAMES } = require('./contenders');

const IDEAL = 'ideal queue with priorities';

// This project's own line is drawn last, on top.
const STYLES = {
  plain: { colour: COLOURS.grey, dash: [5, 3] },
  pressure: { colour: COLOURS.vermilion, dash: [9, 3] },
  toobusy: { colour: COLOURS.purple, dash: [2, 3] },
  priorities: { colour: COLOURS.green, dash: [9, 3, 2, 3] },
  ideal: { colour: COLOURS.orange, dash: [2, 2] },
  cutting: { colour: COLOURS.blue, dash: [6, 2] },
  defaults: { colour: COLOURS.blue, dash: [2, 4] },
  admission: { colour: COLOURS.blue, dash: [1, 0] },
};

const LATENCIES = [20, 50, 100, 200, 500, 1000];

const nameOf = (contender) => NAMES[contender] ?? IDEAL;

/** The cells of the loads as { load, contender, ... }, in the order in which they are drawn. */
function pointsOf({ cells }, toValues) {
  const points = cells.filter(({ part }) => part === 'loads').flatMap(({ load, rows, ideal }) =>
    [...rows, { contender: 'ideal', ...ideal }].flatMap((row) => toValues(row).map((value) =>
      ({ load, contender: row.contender, name: nameOf(row.contender), ...value }))));
  return Object.keys(STYLES).flatMap((contender) =>
    points.filter((point) => point.contender === contender));
}

function specify(values, results, { title, subtitle, y }) {
  const byContender = encodeStyles(STYLES, values, 'contender', nameOf);
  return {
    title: titleOf(title, subtitle, results),
    data: { values },
    mark: { type: 'line', point: { size: 40 }, aria: false },
    width: 300,
    height: 260,
    encoding: {
      x: quantity('load', 'visitors, as a multiple of the capacity', { nice: false }, {
        values: [...new Set(values.map(({ load }) => load))],
        // Vega would round them to whole numbers.
        labelExpr: 'toString(datum.value)',
      }),
      y,
      column: {
        field: 'panel', title: null, sort: [...new Set(values.map(({ panel }) => panel))],
      },
      color: byContender('colour'),
      strokeDash: byContender('dash'),
    },
  };
}

function specifyGoodput(results) {
  const values = pointsOf(results, ({ contender, classes, ofCapacity }) => [
    { panel: 'pages in time, of the capacity', share: ofCapacity },
    { panel: 'checkout: served, of those who came', share: classes.checkout.share },
  ].slice(contender === 'ideal' ? 1 : 0));
  return specify(values, results, {
    title: 'Pages for visitors who are still there',
    subtitle: `Visitors leave after ${PATIENCE} ms. Up is better.`,
    y: quantity('share', null,
      { domain: [0, 1.05] }, { format: '.0%', values: [0, 0.25, 0.5, 0.75, 1] }),
  });
}

function specifyLatency(results) {
  // The ideal queue makes pages wait for as long as their visitors stay.
  const values = pointsOf(results, ({ contender, classes: { checkout, page } }) => [
    { panel: 'checkout', p99: checkout.p99 }, { panel: 'pages', p99: page.p99 },
  ].slice(0, contender === 'ideal' ? 1 : 2));
  return specify(values, results, {
    title: 'How long those wait who are served',
    subtitle: 'Down is better.',
    y: quantity('p99', 'p99 in ms',
      { type: 'log', domain: [LATENCIES[0], PATIENCE], nice: false }, { values: LATENCIES }),
  });
}

const writePlots = linePlots([
  { file: 'overload-goodput.svg', specify: specifyGoodput },
  { file: 'overload-latency.svg', specify: specifyLatency },
], { columns: 3 });

module.exports = { writePlots };

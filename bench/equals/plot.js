'use strict';

// The plot of the mix: how long short pages take beside long ones, against the load.

const { COLOURS } = require('../harness/plot');
const { MIXES } = require('./mixes');

// This project's own line is drawn last, on top.
const STYLES = {
  plain: { colour: COLOURS.grey, dash: [5, 3] },
  immediate: { colour: COLOURS.vermilion, dash: [9, 3] },
  ideal: { colour: COLOURS.orange, dash: [2, 2] },
  controllerFor: { colour: COLOURS.blue, dash: [1, 0] },
};

const FIGURES = ['p50', 'p99'];
const TIMES = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

// The points { load, contender, name, panel, ms }, in the order in which they are drawn.
function pointsOf({ cells }) {
  const points = cells.filter(({ mix }) => mix === 'mix').flatMap(({ load, rows, ideal }) =>
    [...rows, ideal].flatMap(({ contender, name, kinds: { short } }) => FIGURES.map((panel) =>
      ({ load, contender, name, panel, ms: short[panel] }))));
  return Object.keys(STYLES).flatMap((contender) =>
    points.filter((point) => point.contender === contender));
}

function specify(results) {
  const values = pointsOf(results);
  const names = new Map(values.map(({ contender, name }) => [contender, name]));
  const styled = (property) => ({
    field: 'name',
    scale: {
      domain: [...names.values()],
      range: [...names.keys()].map((contender) => STYLES[contender][property]),
    },
  });
  return {
    title: {
      text: `Short pages beside long ones (Node ${results.node.slice(1)})`,
      subtitle: [`${MIXES.mix.title}.`, 'Time until a short page was complete. Down is better.'],
    },
    data: { values },
    mark: { type: 'line', point: { size: 40 }, aria: false },
    width: 300,
    height: 300,
    encoding: {
      x: {
        field: 'load', type: 'quantitative', title: 'load, as a share of the capacity',
        scale: { nice: false, zero: false },
        axis: {
          values: [...new Set(values.map(({ load }) => load))], labelExpr: 'toString(datum.value)',
        },
      },
      y: {
        field: 'ms', type: 'quantitative', title: 'ms',
        scale: { type: 'log', nice: false }, axis: { values: TIMES },
      },
      column: { field: 'panel', title: null, sort: FIGURES },
      color: styled('colour'),
      strokeDash: styled('dash'),
    },
  };
}

module.exports = { file: 'fairness-latency.svg', specify };

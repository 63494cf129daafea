'use strict';

// The plot of the mix: how long short pages take beside long ones, against the load.

const { LOOK, toSvg } = require('../../examples/fleet/plot');
const { MIXES } = require('./mixes');

// The colours of Okabe and Ito, which colour-blind people can distinguish; dashes have to
// distinguish them without colour. This project's own line is drawn last, on top.
const STYLES = {
  plain: { colour: '#555555', dash: [5, 3] },
  immediate: { colour: '#d55e00', dash: [9, 3] },
  ideal: { colour: '#e69f00', dash: [2, 2] },
  controllerFor: { colour: '#0072b2', dash: [1, 0] },
};

const CONFIG = {
  ...LOOK,
  title: { anchor: 'start', fontSize: 19, subtitleFontSize: 13, offset: 14 },
  header: { labelFontSize: 13, labelFontWeight: 'bold' },
  legend: {
    title: null, orient: 'top', labelFontSize: 13, labelLimit: 0, columns: 2,
    symbolType: 'stroke', symbolSize: 900,
  },
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

// The specification for vega-lite.
function specify(results) {
  const values = pointsOf(results);
  const loads = [...new Set(values.map(({ load }) => load))];
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
    config: CONFIG,
    data: { values },
    mark: { type: 'line', point: { size: 40 }, aria: false },
    width: 300,
    height: 300,
    encoding: {
      x: {
        field: 'load', type: 'quantitative', title: 'load, as a share of the capacity',
        scale: { nice: false, zero: false },
        axis: { values: loads, labelExpr: 'toString(datum.value)' },
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

// Resolves to the SVG.
const draw = (results) => toSvg(specify(results));

module.exports = { draw };

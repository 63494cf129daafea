'use strict';

// The plots of the benchmarks: a figure of each contender against the load, in some panels.

// The style of all plots.
const LOOK = {
  background: 'white',
  font: 'DejaVu Sans, Verdana, Arial, sans-serif',
  axis: { labelFontSize: 13, titleFontSize: 13, titleFontWeight: 'normal', aria: false },
};

// The colours of Okabe and Ito, which colour-blind people can distinguish; dashes have to
// distinguish them without colour.
const LINES = {
  grey: { colour: '#555555', dash: [5, 3] },
  red: { colour: '#d55e00', dash: [9, 3] },
  yellow: { colour: '#e69f00', dash: [2, 2] },
  green: { colour: '#009e73', dash: [5, 3] },
  purple: { colour: '#cc79a7', dash: [6, 2] },
  blue: { colour: '#0072b2', dash: [1, 0] },
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

// Resolves to the SVG of a specification for vega-lite.
async function toSvg(specification) {
  // Both are ES modules.
  const [vega, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  const { spec } = compile(specification);
  const svg = await new vega.View(vega.parse(spec)).toSVG();
  // Finer differences than two decimals are invisible.
  return svg.replace(/\d+\.\d{3,}/g, (digits) => Number(digits).toFixed(2));
}

// Resolves to the SVG of `points` { load, contender, name, panel, value }. `styles` has the line of
// each contender, in the order in which they are drawn: the last one is on top. `ticks` are those
// of the values.
function drawLoads({ title, subtitle, points, styles, panels, unit, ticks }) {
  const values = Object.keys(styles).flatMap((contender) =>
    points.filter((point) => point.contender === contender));
  const loads = [...new Set(values.map(({ load }) => load))];
  const names = new Map(values.map(({ contender, name }) => [contender, name]));
  const styled = (property) => ({
    field: 'name',
    scale: {
      domain: [...names.values()],
      range: [...names.keys()].map((contender) => LINES[styles[contender]][property]),
    },
  });
  return toSvg({
    title: { text: title, subtitle },
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
        field: 'value', type: 'quantitative', title: unit,
        scale: { type: 'log', nice: false }, axis: { values: ticks },
      },
      facet: { field: 'panel', title: null, sort: panels, columns: 2 },
      color: styled('colour'),
      strokeDash: styled('dash'),
    },
  });
}

module.exports = { LOOK, drawLoads, toSvg };

'use strict';

// What the plots of the benchmarks share: how they look, and how vega draws them.

const fs = require('node:fs');
const path = require('node:path');

// The colours of Okabe and Ito, which colour-blind people can distinguish; dashes or shapes have to
// distinguish them without colour.
const COLOURS = {
  grey: '#555555',
  blue: '#0072b2',
  vermilion: '#d55e00',
  green: '#009e73',
  purple: '#aa4499',
  orange: '#e69f00',
};

const LEGEND = { title: null, orient: 'top', labelFontSize: 13, labelLimit: 0 };

const CONFIG = {
  background: 'white',
  font: 'DejaVu Sans, Verdana, Arial, sans-serif',
  title: { anchor: 'start', fontSize: 19, subtitleFontSize: 13, offset: 14 },
  axis: { labelFontSize: 13, titleFontSize: 13, titleFontWeight: 'normal', aria: false },
  header: { labelFontSize: 13, labelFontWeight: 'bold' },
};

/**
 * Resolves to the SVG of a specification of vega-lite. `legend` are more settings of its legend.
 */
async function draw(specification, legend) {
  // Both are ES modules.
  const [vega, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  const config = { ...CONFIG, legend: { ...LEGEND, ...legend } };
  const { spec } = compile({ ...specification, config });
  const svg = await new vega.View(vega.parse(spec)).toSVG();
  // Rounds the numbers to two decimals: finer differences are invisible.
  return svg.replace(/\d+\.\d{3,}/g, (digits) => Number(digits).toFixed(2));
}

/**
 * Returns a function by which the names of `values` are encoded in a property of their style. The
 * styles are by what `values` have as `key`, and the last one is drawn on top.
 */
function encodeStyles(styles, values, key, nameOf) {
  const shown = Object.keys(styles).filter((each) => values.some((value) => value[key] === each));
  return (property) => ({
    field: 'name',
    scale: { domain: shown.map(nameOf), range: shown.map((each) => styles[each][property]) },
  });
}

/** The encoding of a number by its place. */
const quantity = (field, title, scale, axis) =>
  ({ field, type: 'quantitative', title, scale, axis });

const titleOf = (text, subtitle, { node }) =>
  ({ text: `${text} (Node ${node.slice(1)})`, subtitle });

/** Returns a function that writes plots { file, specify(results) } of lines into a folder. */
const linePlots = (plots, legend) => async (folder, results) => {
  for (const { file, specify } of plots) {
    const svg = await draw(specify(results), { symbolType: 'stroke', symbolSize: 900, ...legend });
    fs.writeFileSync(path.join(folder, file), svg);
  }
};

module.exports = { COLOURS, draw, encodeStyles, linePlots, quantity, titleOf };

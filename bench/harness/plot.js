'use strict';

// How the plots of the benchmarks look, and how vega draws them.

// The colours of Okabe and Ito, which colour-blind people can distinguish; dashes have to
// distinguish them without colour.
const COLOURS = { grey: '#555555', blue: '#0072b2', vermilion: '#d55e00', orange: '#e69f00' };

const CONFIG = {
  background: 'white',
  font: 'DejaVu Sans, Verdana, Arial, sans-serif',
  title: { anchor: 'start', fontSize: 19, subtitleFontSize: 13, offset: 14 },
  axis: { labelFontSize: 13, titleFontSize: 13, titleFontWeight: 'normal', aria: false },
  header: { labelFontSize: 13, labelFontWeight: 'bold' },
  legend: {
    title: null, orient: 'top', labelFontSize: 13, labelLimit: 0, columns: 2,
    symbolType: 'stroke', symbolSize: 900,
  },
};

// Resolves to the SVG of a specification of vega-lite.
async function draw(specification) {
  // Both are ES modules.
  const [vega, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  const { spec } = compile({ ...specification, config: CONFIG });
  const svg = await new vega.View(vega.parse(spec)).toSVG();
  // Rounds the numbers to two decimals: finer differences are invisible.
  return svg.replace(/\d+\.\d{3,}/g, (digits) => Number(digits).toFixed(2));
}

module.exports = { COLOURS, draw };

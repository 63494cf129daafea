'use strict';

// Draws the jobs per second of each server while the load moves from one to the other.

const fs = require('node:fs');
const path = require('node:path');

const { LOOK, toSvg } = require('../../bench/harness/plot');

// Two of the colours of Okabe and Ito, which colour-blind people can distinguish.
const COLOURS = ['#0072b2', '#d55e00'];
const NAMES = ['server 1: heavy load, then light', 'server 2: light load, then heavy'];

function specify({ movedAt, rates }) {
  const values = NAMES.flatMap((name, i) =>
    rates.map(({ at, rates: each }) => ({ name, at, jobs: each[i] })));
  return {
    title: { text: 'Jobs per second while the load moves', anchor: 'start', fontSize: 19 },
    width: 640,
    height: 280,
    layer: [
      {
        data: { values },
        mark: { type: 'line', aria: false },
        encoding: {
          x: { field: 'at', type: 'quantitative', title: 'seconds' },
          y: { field: 'jobs', type: 'quantitative', title: 'jobs per second' },
          color: {
            field: 'name', scale: { domain: NAMES, range: COLOURS },
            legend: { title: null, orient: 'top', labelLimit: 0 },
          },
        },
      },
      {
        data: { values: [{ at: movedAt }] },
        mark: { type: 'rule', strokeDash: [4, 4], aria: false },
        encoding: { x: { field: 'at', type: 'quantitative' } },
      },
    ],
    config: { ...LOOK, legend: { labelFontSize: 13 } },
  };
}

async function writePlot(file, timeline) {
  const svg = await toSvg(specify(timeline));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, svg);
}

module.exports = { writePlot };

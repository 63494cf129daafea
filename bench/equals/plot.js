'use strict';

// The plot of the mix: how long short pages take beside long ones, against the load.

const { drawLoads } = require('../harness/plot');
const { MIXES } = require('./mixes');

// This project's own line is drawn last, on top.
const STYLES = { plain: 'grey', immediate: 'red', ideal: 'yellow', controllerFor: 'blue' };

const FIGURES = ['p50', 'p99'];
const TIMES = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

const pointsOf = (cells) => cells.filter(({ mix }) => mix === 'mix').flatMap(
  ({ load, rows, ideal }) => [...rows, ideal].flatMap(({ contender, name, kinds: { short } }) =>
    FIGURES.map((panel) => ({ load, contender, name, panel, value: short[panel] }))));

// Resolves to the SVG.
const draw = ({ cells, node }) => drawLoads({
  title: `Short pages beside long ones (Node ${node.slice(1)})`,
  subtitle: [`${MIXES.mix.title}.`, 'Time until a short page was complete. Down is better.'],
  points: pointsOf(cells), styles: STYLES, panels: FIGURES, unit: 'ms', ticks: TIMES,
});

module.exports = { draw };

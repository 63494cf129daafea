'use strict';

// The plot of the workloads: the p99.9 slowdown of the shortest type, against the load.

const { drawLoads } = require('../harness/plot');
const { WORKLOADS } = require('./workloads');

// This project's own line is drawn last, on top.
const STYLES = {
  plain: 'grey', immediate: 'red', piscina: 'green', overHttp: 'yellow', sizes: 'purple',
  direct: 'blue',
};

const SLOWDOWNS = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000];

const panelOf = ({ workload, shortest }) => `${WORKLOADS[workload].title}: ${shortest}`;

// Resolves to the SVG.
function draw({ cells, node }) {
  const all = cells.filter(({ workload }) => workload !== undefined);
  return drawLoads({
    title: `The shortest requests beside long ones (Node ${node.slice(1)})`,
    subtitle: ['Workloads of the Perséphone paper, times multiplied by 100.',
      'p99.9 of the slowdown: time in the system / service time. Down is better.'],
    points: all.flatMap((cell) => cell.rows.map(({ contender, name, types }) => ({
      load: cell.load, contender, name, panel: panelOf(cell), value: types[cell.shortest].p999,
    }))),
    styles: STYLES, panels: [...new Set(all.map(panelOf))], unit: 'slowdown', ticks: SLOWDOWNS,
  });
}

module.exports = { draw };

'use strict';

// `npm run bench streams`: streams that are fed from elsewhere, with a tool that computes, beside
// pages and lists. A cell is a load; the same visitors come to plain Node and to the package.

const { createVisitors } = require('../harness/arrivals');
const { createOpenLoop, createRows, visitsOf } = require('../harness/open-loop');
const { numbers, rounds, seconds, warm } = require('../harness/options');
const { atLeast, atMost, column, fixed, ms, nameColumn, percent } = require('../harness/report');
const { sum, summarizeTimes } = require('../harness/statistics');
const { KINDS, NAMES, STREAM } = require('./contenders');

// Streams begin at this rate; pages and lists make up the rest of the load.
const PER_SECOND = 2;

// The patience of a visitor who wants a page or a list, in ms.
const PATIENCE = 1000;

const options = {
  seconds: seconds(12),
  warm: warm(5),
  rounds: rounds(1),
  loads: numbers('the thread time that visitors ask for, as a part of what there is',
    [0.5, 0.8, 1.5], { min: 0.3, max: 20 }),
};

const plan = ({ loads, seconds: length, warm: before }) => loads.map((load) => ({
  load, warm: before, seconds: length, title: `${load} of the capacity`,
  rows: createRows(Object.keys(NAMES), NAMES),
}));

// Visitors of a cell, in the order of their times.
function prepare({ load, warm: before, seconds: length }, run) {
  const kinds = Object.entries(KINDS).map(([name, { share }]) => ({ name, share }));
  const work = sum(Object.values(KINDS).map((kind) => kind.work * kind.share));
  const perSecond = (load * 1000 - PER_SECOND * STREAM) / work;
  const settings = { seconds: before + length, seed: `${run} ${load}` };
  const streams = createVisitors([{ name: 'stream', share: 1 }],
    { ...settings, perSecond: PER_SECOND, seed: `${settings.seed} streams` });
  const short = createVisitors(kinds, { ...settings, perSecond });
  return [...streams, ...short.map((each) => ({ ...each, patience: PATIENCE }))]
    .sort((a, b) => a.time - b.time);
}

const measureRow = ({ contender }, cell, visitors, openLoop) =>
  openLoop.measureRow({ contender }, visitors, {});

function summarizeRow(runs, { warm: before }) {
  const all = visitsOf(runs).filter(({ time }) => time >= before * 1000);
  const figuresOf = (visits) => {
    const served = visits.filter(({ outcome }) => outcome === 'served');
    return {
      share: visits.length === 0 ? null : served.length / visits.length,
      refused: visits.filter(({ outcome }) => outcome === 'refused').length,
      ...summarizeTimes(served.map(({ ms: time }) => time)),
    };
  };
  const streams = all.filter((visit) => visit.name === 'stream');
  return {
    short: figuresOf(all.filter((visit) => visit.name !== 'stream')),
    stream: figuresOf(streams),
    gap: summarizeTimes(streams.flatMap(({ gaps }) => gaps)),
  };
}

const judge = (cells) => cells.flatMap(({ title, rows: [plain, ours] }) => [
  atMost(title, 'between two tokens: p99 at most that of plain Node', ours.gap.p99, plain.gap.p99,
    ms),
  atLeast(title, 'as many streams are completed', ours.stream.share, plain.stream.share, percent),
]);

const whole = fixed(0);

module.exports = {
  title: 'Streams beside pages',
  about: `Streams of tokens with a tool that computes, beside pages and lists, plain and with the
package: two minutes by default.`,
  options, plan, prepare, measureRow, summarizeRow, judge,
  columns: () => [
    nameColumn(),
    column('streams\ncompleted', 'stream.share', percent),
    column('between tokens\np50', 'gap.p50', whole), column('p99', 'gap.p99', whole),
    column('pages and lists\nserved', 'short.share', percent),
    column('p50', 'short.p50', whole), column('p99', 'short.p99', whole),
    column('refused', 'short.refused', whole),
  ],
  open: (chosen, processes) => createOpenLoop(
    processes, require.resolve('./contenders'), { program: require.resolve('./load') }),
  introduce: () => `${PER_SECOND} streams a second: a model sends 70 tokens, one each 30 ms, a tool
computes for 60 ms, and 70 tokens more follow. Seven in ten of the other visitors want a page of
10 ms, the rest a list of 20 ms, and leave after ${PATIENCE} ms. All stands behind the \`await\` of
a query; with the package behind an admission, and what computes is cut by \`pieces()\`. Times are
in ms, from when the visitor should have arrived. Server and load have a processor each.
`,
};

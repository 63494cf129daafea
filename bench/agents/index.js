'use strict';

// `npm run bench agents`: the gateway of examples/agents, plain and with the package. People take
// turns beside agents that fill the process, beside a recurring callback, and in the flood of one
// tenant. The same people come to both.

const { createVisitors } = require('../harness/arrivals');
const { createOpenLoop, createRows, visitsOf } = require('../harness/open-loop');
const { choices, rounds, seconds, warm } = require('../harness/options');
const { atLeast, atMost, column, fixed, nameColumn, percent } = require('../harness/report');
const { summarizeTimes, sum } = require('../harness/statistics');
const { NAMES } = require('./contenders');

// People take so many turns a second, and belong to so many tenants.
const PER_SECOND = 10;
const TENANTS = 5;

// By name: what goes on beside people. `most` are goals: the p99 of the first token and between two
// tokens, as parts of the plain gateway's. Goals everywhere: its p50 of the first token, and
// at least half of its turns of agents.
const NO_FLOOD = { visitors: 0, messages: 0 };
const CELLS = {
  'four': {
    title: '4 agents and a recurring callback of 20 ms',
    agents: 4, recurring: 20, flood: NO_FLOOD, most: { first: 1, gap: 1 },
  },
  'sixteen': {
    title: '16 agents and a recurring callback of 20 ms',
    agents: 16, recurring: 20, flood: NO_FLOOD, most: { first: 0.5, gap: 1 },
  },
  'agents': {
    title: '16 agents that fill the process',
    agents: 16, recurring: 0, flood: NO_FLOOD, most: { first: 0.5, gap: 0.5 },
  },
  'flood': {
    title: '4 agents, and a flood of one tenant',
    agents: 4, recurring: 0, flood: { visitors: 64, messages: 400 }, most: { first: 0.2, gap: 0.5 },
  },
};

const options = {
  only: choices('only these of', Object.keys(CELLS)),
  seconds: seconds(8),
  warm: warm(2),
  rounds: rounds(1),
};

const plan = ({ only, seconds: measured, warm: before }) => only.map((name) => ({
  ...CELLS[name], name, warm: before, seconds: measured,
  rows: createRows(Object.keys(NAMES), NAMES),
}));

const KINDS = Array.from({ length: TENANTS }, (_, i) => ({ name: `${i}`, share: 1 / TENANTS }));

const prepare = ({ warm: before, seconds: measured }, run) =>
  createVisitors(KINDS, { perSecond: PER_SECOND, seconds: before + measured, seed: `${run}` });

const measureRow = ({ contender }, { agents, recurring, flood }, visitors, openLoop) =>
  openLoop.measureRow({ contender, agents, recurring }, visitors, { habits: { flood } });

function summarizeRow(runs, { warm: before }) {
  const visits = visitsOf(runs).filter(({ time }) => time >= before * 1000);
  const served = visits.filter(({ outcome }) => outcome === 'served');
  const perSecond = (key) =>
    sum(runs.map((run) => run[key])) / sum(runs.map(({ elapsed }) => elapsed)) * 1000;
  return {
    share: visits.length === 0 ? null : served.length / visits.length,
    first: summarizeTimes(served.map(({ first }) => first)),
    gap: summarizeTimes(served.flatMap(({ gaps }) => gaps)),
    agents: perSecond('work'), flood: perSecond('flood'),
  };
}

const MIN_TURNS = 0.5;

const TEXTS = { first: 'the first token', gap: 'between two tokens' };

const judge = (cells) => cells.flatMap(({ title, most, rows: [plain, ours] }) => [
  ...Object.entries(most).map(([key, times]) =>
    atMost(title, `${TEXTS[key]}: p99 at most ${times} × that of the plain gateway`,
      ours[key].p99 / plain[key].p99, times)),
  atMost(title, `${TEXTS.first}: p50 at most that of the plain gateway`,
    ours.first.p50 / plain.first.p50, 1),
  atLeast(title, 'turns of agents: at least half of those of the plain gateway',
    ours.agents / plain.agents, MIN_TURNS),
]);

const COLUMNS = [
  nameColumn(), column('people\nserved', 'share', percent),
  column('first token\np50', 'first.p50', fixed(0)), column('p99', 'first.p99', fixed(0)),
  column('between tokens\np50', 'gap.p50'), column('p99', 'gap.p99'),
  column('turns of agents\na second', 'agents'), column('of the flood', 'flood'),
];

module.exports = {
  title: 'Agents',
  about: `People take turns at the gateway of examples/agents, plain and with the package, beside
agents that fill the process and in the flood of one tenant: two minutes by default.`,
  options, plan, prepare, measureRow, summarizeRow, judge,
  open: (chosen, processes) => createOpenLoop(
    processes, require.resolve('./contenders'), { program: require.resolve('./load') }),
  columns: () => COLUMNS,
  introduce: () => `People of ${TENANTS} tenants take ${PER_SECOND} turns a second. Each calls a
tool that works for 10 ms; then the model, a stand-in that uses no network, sends its first token
after 200 ms and 40 of them every 20 ms. Times are in ms, the first token's from when the person
should have arrived. An agent takes turn after turn: a tool that works for 10 ms, a model that
answers after 5 ms, nine stages of 0.25 ms. In the flood, 64 visitors of one tenant send contexts
that take 40 ms to compact, and ask again at once. The plain gateway yields by \`setImmediate\`
every 5 ms. With the package, the time slice is 20 ms, tools of people are user-blocking, and all
else is user-visible, agents with a weight of 0.25. Server and load have a processor each.
`,
};

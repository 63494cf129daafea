'use strict';

// The parts of the benchmark: which teams are measured, beside which requests. The contenders of a
// cell run at the same time but work one after the other, in rounds: what a machine does meanwhile
// meets all of them.

const { setTimeout: sleep } = require('node:timers/promises');

const { createRows } = require('../open-loop');
const { ordered } = require('../statistics');

const { NAMES, QUEUED } = require('./contenders');

// Quotas of the parts beside the grid, in processors, and their requests as a share of them.
const HALF = 0.5;
const LITTLE = 0.05;
const LOAD = 0.3;
const NEIGHBOUR_LOADS = [20, 60];

// A scheduler has to find out about another quota within so many seconds, and about the other
// processes of its group.
const NOTICE = 15;
const SHARING = 10;

const percent = (share) => `${Math.round(share * 100)} %`;

const of = (options, contenders) => ['none', ...contenders].filter((contender) =>
  contender === 'none' || contender === 'machine' || options.contenders.includes(contender));

const withLoop = (options, own) => of(options, [own, 'loop']);

/** What each part measures: its cells, without what they have in common. */
const PARTS = {
  grid: (options) => options.quota.flatMap((quota) => options.load.map((load) => ({
    title: `quota ${quota} %, requests ${load} % of it`,
    quota: quota / 100, load: load / 100, place: quota > 100 ? 'all' : 'one',
    contenders: of(options, options.contenders),
  }))),
  batch: (options) => [HALF, LITTLE].map((quota) => ({
    title: `a program without requests, quota ${percent(quota)}`, quota, load: 0,
    contenders: withLoop(options, 'container').slice(1),
  })),
  shared: (options) => [{
    title: 'two processes in one group, quota 50 %, requests 30 % of it',
    quota: HALF, count: 2, place: 'all', settle: Math.max(SHARING, options.settle),
  }],
  workers: (options) => [{
    title: 'two worker threads, quota 50 %, requests 30 % of it',
    quota: HALF, threads: 2, place: 'one', settle: Math.max(SHARING, options.settle),
  }],
  halved: () => [{
    title: 'a quota of 100 % that becomes 50 %, requests 30 % of that', quota: 1, halved: HALF,
  }],
  neighbour: (options) => NEIGHBOUR_LOADS.map((load) => ({
    title: `a neighbour with ${load} % of the processor, no quota`,
    quota: Infinity, load: load / 100, contenders: withLoop(options, 'machine'),
  })),
};

/** The cells of the chosen parts: what their teams are, and what is asked of them. */
function createPlan(options) {
  const { settle } = options;
  const cells = options.only.flatMap((part) => PARTS[part](options).map((cell) =>
    ({ part, settle, load: LOAD, contenders: withLoop(options, 'container'), ...cell })));
  return cells.map((cell) => ({ ...cell, rows: createRows(cell.contenders, NAMES) }))
    .filter(({ contenders }) => contenders.some((contender) => contender !== 'none'));
}

/** The rows of a cell in each round. `step(round, name)` is called before each one. */
function* turns({ rows }, { options }, step) {
  for (let round = 0; round < options.rounds; round++) {
    for (const { contender, name, runs } of ordered(rows, round)) {
      step(round, name);
      yield { contender, runs, seed: round + 1 };
    }
  }
}

/** Starts a team of each row, by the contender. */
async function startTeams({ rows, quota, count, threads, place }, { teams, jobs }) {
  const all = new Map();
  for (const { contender } of rows) {
    all.set(contender, await teams.startTeam({
      contender, quota, count, threads, place, ...jobs.settings,
    }));
  }
  return all;
}

/** Requests a second: a share of the quota, or of a processor if the quota is larger. */
const rateOf = ({ load, quota, halved = quota }, { teams, cost }) =>
  teams.rateOf(load * Math.min(halved, 1), cost);

async function measureTeams(cell, context, step) {
  const { teams, jobs, options: { seconds } } = context;
  const { settle } = cell;
  const perSecond = await rateOf(cell, context);
  const all = await startTeams(cell, context);
  for (const { contender, runs, seed } of turns(cell, context, step)) {
    if (QUEUED.includes(contender)) await jobs.fill(settle + seconds);
    const team = all.get(contender);
    const measured = await teams.measure(team, { perSecond, settle, seconds, seed });
    runs.push({ capacity: team.capacity, ...measured });
  }
  for (const team of all.values()) await team.end();
}

/** Two servers on one processor: one has the requests, the other one the background work. */
async function measureNeighbours(cell, context, step) {
  const { teams, options: { seconds } } = context;
  const { settle } = cell;
  const perSecond = await rateOf(cell, context);
  const asked = await teams.startTeam({ contender: 'none', quota: Infinity });
  const all = await startTeams(cell, context);
  for (const { contender, runs, seed } of turns(cell, context, step)) {
    const beside = all.get(contender);
    const measured = await teams.measure(asked, { perSecond, settle, seconds, seed, beside });
    const { usage, pieces } = measured.beside;
    runs.push({ ...measured, capacity: 1, usage: measured.usage + usage, pieces });
  }
  for (const team of [asked, ...all.values()]) await team.end();
}

/** Measures a team after its quota was halved; `series` has the throttled share of each second. */
async function halve(team, cell, { teams, options, perSecond }, seed) {
  const seconds = NOTICE + options.seconds;
  await teams.connect(team);
  await team.tell('start');
  await sleep(cell.settle * 1000);
  team.setQuota(cell.halved);
  const sent = teams.sendRequests({ perSecond, seconds, from: NOTICE, seed });
  const readings = [await teams.read(team)];
  for (let second = 0; second < seconds; second++) {
    await sleep(1000);
    readings.push(await teams.read(team));
  }
  const times = await sent;
  await team.tell('stop');
  const series = readings.slice(1).map((reading, i) => {
    const { periods, throttled } = teams.difference(reading, readings[i]);
    return throttled / Math.max(1, periods);
  });
  const after = teams.difference(readings.at(-1), readings[NOTICE]);
  return { times, series, capacity: team.capacity, ...after };
}

async function measureHalved(cell, context, step) {
  const perSecond = await rateOf(cell, context);
  for (const { contender, runs, seed } of turns(cell, context, step)) {
    const team = await context.teams.startTeam({ contender, quota: cell.quota });
    runs.push(await halve(team, cell, { ...context, perSecond }, seed));
    await team.end();
  }
}

const MEASURES = { halved: measureHalved, neighbour: measureNeighbours };

const measureCell = (cell, context, step) =>
  (MEASURES[cell.part] ?? measureTeams)(cell, context, step);

module.exports = { createPlan, measureCell };

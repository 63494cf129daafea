'use strict';

// The parts of the benchmark: which teams are measured, beside which requests. The contenders of a
// cell run at the same time but work one after the other, in rounds: what a machine does meanwhile
// meets all of them.

const { setTimeout: sleep } = require('node:timers/promises');

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

/** The cells of the chosen parts: what their teams are, and what is asked of them. */
function createPlan(options) {
  const base = { load: 0, capacity: 1, settle: options.settle };
  const cells = {
    grid: () => options.quota.flatMap((quota) => options.load.map((load) => ({
      ...base, part: 'grid', title: `quota ${quota} %, requests ${load} % of it`,
      quota: quota / 100, load: load / 100, place: quota > 100 ? 'all' : 'one',
      contenders: of(options, options.contenders),
    }))),
    batch: () => [HALF, LITTLE].map((quota) => ({
      ...base, part: 'batch', title: `a program without requests, quota ${percent(quota)}`, quota,
      contenders: of(options, ['container', 'loop']).slice(1),
    })),
    shared: () => [{
      ...base, part: 'shared', title: 'two processes in one group, quota 50 %, requests 30 % of it',
      quota: HALF, load: LOAD, count: 2, place: 'all',
      settle: Math.max(SHARING, options.settle),
      contenders: of(options, ['container', 'loop']),
    }],
    workers: () => [{
      ...base, part: 'workers', title: 'two worker threads, quota 50 %, requests 30 % of it',
      quota: HALF, load: LOAD, threads: 2, place: 'one', settle: Math.max(SHARING, options.settle),
      contenders: of(options, ['container', 'loop']),
    }],
    halved: () => [{
      ...base, part: 'halved', title: 'a quota of 100 % that becomes 50 %, requests 30 % of that',
      quota: 1, halved: HALF, load: LOAD, contenders: of(options, ['container', 'loop']),
    }],
    neighbour: () => NEIGHBOUR_LOADS.map((load) => ({
      ...base, part: 'neighbour', title: `a neighbour with ${load} % of the processor, no quota`,
      quota: Infinity, load: load / 100, contenders: of(options, ['machine', 'loop']),
    })),
  };
  return options.only.flatMap((part) => cells[part]()).map((cell) => ({
    ...cell, rows: cell.contenders.map((contender) => ({
      contender, name: NAMES[contender], rounds: [],
    })),
  })).filter(({ contenders }) => contenders.some((contender) => contender !== 'none'));
}

/** Requests a second: a share of the quota, or of a processor if the quota is larger. */
const rateOf = ({ load, quota, halved = quota }, { teams, cost }) =>
  teams.rateOf(load * Math.min(halved, 1), cost);

async function measureTeams(cell, context, step) {
  const { teams, options, jobs } = context;
  const perSecond = await rateOf(cell, context);
  const all = new Map();
  for (const { contender } of cell.rows) {
    const { quota, count, threads, place } = cell;
    all.set(contender, await teams.startTeam({
      contender, quota, count, threads, place, ...jobs.settings,
    }));
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const { contender, name, rounds } of ordered(cell.rows, round)) {
      step(round, name);
      if (QUEUED.includes(contender)) await jobs.fill(cell.settle + options.seconds);
      const team = all.get(contender);
      const { seconds } = options;
      rounds.push({
        capacity: team.capacity,
        ...await teams.measure(team, { perSecond, settle: cell.settle, seconds, seed: round + 1 }),
      });
    }
  }
  for (const team of all.values()) await team.end();
}

/** Two servers on one processor: one has the requests, the other one the background work. */
async function measureNeighbours(cell, context, step) {
  const { teams, options } = context;
  const perSecond = await rateOf(cell, context);
  const asked = await teams.startTeam({ contender: 'none', quota: Infinity });
  const all = new Map();
  for (const { contender } of cell.rows) {
    all.set(contender, await teams.startTeam({ contender, quota: Infinity }));
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const { contender, name, rounds } of ordered(cell.rows, round)) {
      step(round, name);
      const { settle } = cell;
      const { seconds } = options;
      const beside = all.get(contender);
      const result = await teams.measure(
        asked, { perSecond, settle, seconds, seed: round + 1, beside });
      const { usage, beside: other } = result;
      rounds.push({ ...result, capacity: 1, usage: usage + other.usage, pieces: other.pieces });
    }
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
  for (let round = 0; round < context.options.rounds; round++) {
    for (const { contender, name, rounds } of ordered(cell.rows, round)) {
      step(round, name);
      const team = await context.teams.startTeam({ contender, quota: cell.quota });
      rounds.push(await halve(team, cell, { ...context, perSecond }, round + 1));
      await team.end();
    }
  }
}

const MEASURES = { halved: measureHalved, neighbour: measureNeighbours };

const measureCell = (cell, context, step) =>
  (MEASURES[cell.part] ?? measureTeams)(cell, context, step);

module.exports = { createPlan, measureCell };

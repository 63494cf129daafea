'use strict';

// Makes the figures of the report from what was measured, and says which promises were kept.

const { mean } = require('simple-statistics');

const { summarizeTimes } = require('../../bench/harness/statistics');

const MAX_RATIO = 1.05;
const MAX_SHARE = 0.25;
const MIN_EFFICIENCY = 0.9;
const MAX_SECONDS_TO_MOVE = 5;

// The jobs follow the load when one server does more than the other for this long, in seconds.
const WINDOW = 2;

// A server's figures over the runs.
function summarizeServer(runs, i) {
  const of = runs.map(({ servers }) => servers[i]);
  const names = Object.keys(of[0].utilization);
  const utilization = (name) => mean(of.map((each) => each.utilization[name]));
  return {
    name: of[0].name,
    page: summarizeTimes(of.flatMap(({ pages }) => pages)),
    health: summarizeTimes(of.flatMap(({ health }) => health)),
    jobsPerSecond: mean(of.map(({ jobsPerSecond }) => jobsPerSecond)),
    givenBack: of.reduce((sum, { givenBack }) => sum + givenBack, 0),
    utilization: Object.fromEntries(names.map((name) => [name, utilization(name)])),
  };
}

// Jobs per second of each server around each time.
function ratesOf(timeline) {
  return timeline.flatMap(({ at, jobs }) => {
    const first = timeline.find((each) => each.at >= at - WINDOW);
    if (first.at === at) return [];
    return [{ at, rates: jobs.map((count, i) => (count - first.jobs[i]) / (at - first.at)) }];
  });
}

// Seconds after the load has moved until the other server does more of the jobs.
function secondsToMove(timeline, rates) {
  const found = rates.find(({ at, rates: [first, second] }) => {
    return at > timeline.movedAt && first > second;
  });
  return found === undefined ? Infinity : found.at - timeline.movedAt;
}

function claimsOf({ servers, efficiency, seconds, lost, runTwice, failed }) {
  const [heavy, light] = servers;
  const claims = [];
  const add = (text, kept, detail) => claims.push({ text, kept, detail });
  for (const { without, jobs } of servers) {
    for (const what of ['page', 'health']) {
      const ratio = jobs[what].p99 / without[what].p99;
      const text = `${jobs.name}: ${what} p99 with jobs at most ${MAX_RATIO} times that without`;
      add(text, ratio <= MAX_RATIO, ratio.toFixed(2));
    }
  }
  const share = heavy.jobs.jobsPerSecond / light.jobs.jobsPerSecond;
  add(`the heavily loaded server takes at most ${MAX_SHARE} of the other's jobs`,
    share <= MAX_SHARE, share.toFixed(2));
  add(`the fleet does at least ${MIN_EFFICIENCY} of what its idle time allows`,
    efficiency >= MIN_EFFICIENCY, efficiency.toFixed(2));
  add(`the jobs follow the load within ${MAX_SECONDS_TO_MOVE} s`,
    seconds <= MAX_SECONDS_TO_MOVE, `${seconds.toFixed(1)} s`);
  add('no job is lost', lost === 0 && failed === 0, `${lost} lost, ${failed} failed`);
  add('no job is run twice', runTwice === 0, String(runTwice));
  return claims;
}

function summarize({ runs, alone, timeline, ...counts }) {
  const without = runs.filter(({ withJobs }) => !withJobs);
  const withJobs = runs.filter((each) => each.withJobs);
  const servers = [0, 1].map((i) => ({
    without: summarizeServer(without, i),
    jobs: summarizeServer(withJobs, i),
  }));
  // Idle threads are of no use where the visitors, who are simulated beside them, have the
  // processor.
  const idleThreads = servers.reduce((sum, each) => sum + each.without.utilization.idle, 0);
  const idleProcessors = mean(without.map((run) => run.idleProcessors));
  const possible = alone * Math.min(idleThreads, idleProcessors);
  const total = servers.reduce((sum, each) => sum + each.jobs.jobsPerSecond, 0);
  const rates = ratesOf(timeline);
  const efficiency = total / possible;
  const seconds = secondsToMove(timeline, rates);
  return {
    servers,
    alone,
    idleThreads,
    idleProcessors,
    possible,
    total,
    ...counts,
    claims: claimsOf({ servers, efficiency, seconds, ...counts }),
    timeline: { movedAt: timeline.movedAt, rates },
  };
}

module.exports = { summarize };

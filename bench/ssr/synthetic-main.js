'use strict';

// Measures synthetic work in turns: pages whose visitors arrive at their own times (an open loop,
// which shows waiting as a closed one cannot), and a loop of short turns beside health checks.

const path = require('node:path');

const { mean, median, quantile } = require('simple-statistics');

const { createArrivals } = require('../arrivals');

const { LOOPS, PAGES, UTILIZATION } = require('./synthetic-plan');

const SERVER = path.join(__dirname, 'synthetic.js');
// More visitors than ever wait at once, so that no connection is opened during the measurement.
const CLIENTS = 64;
const CALIBRATION_SECONDS = 1;
const CALIBRATION_TURNS = 100_000;
// The processor time of a loop that never yields.
const LOOP_MS = 2000;

const ordered = (list, round) => (round % 2 === 0 ? list : [...list].reverse());

async function startSynthetic({ load, startChild }) {
  const server = startChild(SERVER);
  const { url } = await server.answer();
  const ask = async (child, message) => (await child.ask(message)).result;
  return {
    load: (command, options) => ask(load, { command, url, ...options }),
    loop: (kind, turns) => ask(server, { command: 'loop', kind, turns }),
  };
}

/** Returns the pages a second that the thread can render, from a visitor who never pauses. */
async function calibrate(synthetic) {
  await synthetic.load('connect', { clients: 1 });
  return synthetic.load('calibrate', { path: '/page/unchunked', seconds: CALIBRATION_SECONDS });
}

const summarizePages = ({ complete, health }) => ({
  pageMean: mean(complete),
  pageP99: quantile(complete, 0.99),
  healthP99: quantile(health, 0.99),
});

async function measurePages(synthetic, { rounds, open }, progress) {
  const rows = PAGES.map((row) => ({ ...row, rounds: [] }));
  const rates = [];
  for (let round = 0; round < rounds; round++) {
    const perSecond = await calibrate(synthetic) * UTILIZATION;
    rates.push(perSecond);
    // The same for all rows of the round.
    const arrivals = createArrivals({ perSecond, seconds: open, seed: round + 1 });
    for (const { kind, name, rounds: results } of ordered(rows, round)) {
      progress.step(`round ${round + 1} of ${rounds}: pages at random times, ${name}`);
      await synthetic.load('connect', { clients: CLIENTS });
      const raw = await synthetic.load('arrive', { path: `/page/${kind}`, arrivals });
      results.push(summarizePages(raw));
    }
  }
  return { perSecond: median(rates), rows: rows.map(withMedians) };
}

async function measureLoops(synthetic, { rounds }, progress) {
  // Once for the compiler.
  for (const { kind } of LOOPS) await synthetic.loop(kind, CALIBRATION_TURNS);
  const ms = await synthetic.loop('never', CALIBRATION_TURNS);
  const turns = Math.round(CALIBRATION_TURNS * LOOP_MS / ms);
  const rows = LOOPS.map((row) => ({ ...row, rounds: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const { kind, name, rounds: results } of ordered(rows, round)) {
      progress.step(`round ${round + 1} of ${rounds}: a loop that ${name}`);
      await synthetic.load('connect', { clients: 1 });
      await synthetic.load('startChecks');
      const spent = await synthetic.loop(kind, turns);
      const health = await synthetic.load('stopChecks');
      results.push({ turnsPerSecond: turns / spent * 1000, healthP99: quantile(health, 0.99) });
    }
  }
  return { turns, rows: rows.map(withMedians) };
}

function withMedians(row) {
  const keys = Object.keys(row.rounds[0]);
  const medians = keys.map((key) => [key, median(row.rounds.map((round) => round[key]))]);
  return { ...row, medians: Object.fromEntries(medians) };
}

/** The number of steps of progress that measureSynthetic() takes. */
const countSteps = ({ rounds }) => rounds * (PAGES.length + LOOPS.length);

async function measureSynthetic(options, processes, progress) {
  const synthetic = await startSynthetic(processes);
  return {
    pages: await measurePages(synthetic, options, progress),
    loops: await measureLoops(synthetic, options, progress),
  };
}

module.exports = { countSteps, measureSynthetic };

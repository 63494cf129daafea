'use strict';

// Measures synthetic work in turns: pages whose visitors arrive at their own times (an open loop,
// which shows waiting as a closed one cannot), and a loop of short turns beside health checks.

const path = require('node:path');

const { median } = require('simple-statistics');

const { createArrivals } = require('../arrivals');
const { at, mediansOf, meanOf, ordered } = require('../statistics');

const { LOOPS, PAGES, UTILIZATION } = require('./synthetic-plan');

const SERVER = path.join(__dirname, 'synthetic.js');
// More visitors than ever wait at once, so that no connection is opened during the measurement.
const CLIENTS = 64;
const CALIBRATION_SECONDS = 1;
const CALIBRATION_TURNS = 100_000;
// The processor time of a loop that never yields.
const LOOP_MS = 2000;

async function startSynthetic({ load, startServer }) {
  const { url, ask } = await startServer(SERVER, {}, { place: 'any' });
  return {
    load: (command, options) => load.ask(command, { url, ...options }),
    loop: (kind, turns) => ask('loop', { kind, turns }),
  };
}

/** Returns the pages a second that the thread can render, from a visitor who never pauses. */
async function calibrate(synthetic) {
  await synthetic.load('connect', { clients: 1 });
  return synthetic.load('calibrate', { path: '/page/unchunked', seconds: CALIBRATION_SECONDS });
}

const summarizePages = ({ complete, health }) => ({
  pageMean: meanOf(complete),
  pageP99: at(complete, 0.99),
  healthP99: at(health, 0.99),
});

const withMedians = (row) => ({ ...row, medians: mediansOf(row.rounds) });

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
      results.push({ turnsPerSecond: turns / spent * 1000, healthP99: at(health, 0.99) });
    }
  }
  return { turns, rows: rows.map(withMedians) };
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

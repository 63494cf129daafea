'use strict';

// Measures the rows of a case in turn, over several rounds, each round beginning with another row.
// Other load on the machine then affects all rows alike. The measuring itself happens in separate
// processes.

const { median } = require('simple-statistics');
const { CaseProcess } = require('./case-process.js');
const { OURS, judge } = require('./goals.js');

// The processes of a case: one for each row, or one for all.
class Processes {
  #shared = new Map();
  #start;
  #kind;

  constructor(kind, start) {
    this.#kind = kind;
    this.#start = start;
  }

  async ask(row, isWarmUp) {
    const key = this.#kind === 'one' ? 'all' : row;
    const own = this.#shared.get(key) ?? this.#start();
    this.#shared.set(key, own);
    const answer = await own.ask({ row, isWarmUp });
    // After an error, the other rows of the process go on in a new one.
    if (this.#kind === 'each sample' || answer.error !== undefined) {
      this.#shared.delete(key);
      own.end();
    }
    return answer;
  }

  end() {
    for (const each of this.#shared.values()) each.end();
  }
}

const rotated = (rows, by) => {
  const first = by % rows.length;
  return [...rows.slice(first), ...rows.slice(0, first)];
};

// Measures a case. Resolves to its rows with their samples, errors or reasons for having none.
async function measureCase(one, { rounds, quick }) {
  const processes = new Processes(one.processes, () => new CaseProcess(one, { quick }));
  const rows = new Map(one.rows.map((name) => [name, { samples: [], error: null, absent: null }]));
  let taking = [...one.rows];
  const ask = async (name, isWarmUp) => {
    const { result, error } = await processes.ask(name, isWarmUp);
    const row = rows.get(name);
    if (error !== undefined) row.error = error;
    else if (typeof result === 'string') row.absent = result;
    else if (!isWarmUp) row.samples.push(result);
    if (row.error !== null || row.absent !== null) taking = taking.filter((each) => each !== name);
  };
  const round = async (order, isWarmUp) => {
    if (one.isParallel) await Promise.all(order.map((name) => ask(name, isWarmUp)));
    else for (const name of order) await ask(name, isWarmUp);
  };
  try {
    if (one.processes !== 'each sample') await round(taking, true);
    for (let i = 0; i < Math.min(rounds, one.maxRounds) && taking.length > 0; i++) {
      await round(rotated(taking, i), false);
    }
  } finally {
    processes.end();
  }
  return rows;
}

function medianDetails(samples) {
  const names = Object.keys(samples[0].details ?? {});
  return Object.fromEntries(names.map((name) => {
    return [name, median(samples.map(({ details }) => details[name]))];
  }));
}

// Returns a case with its results: medians, ratios and goals.
function summarize({ name, title, unit, details, goals }, rows) {
  const measured = [...rows].filter(([, { samples, error }]) => samples.length > 0 && !error);
  const medians = new Map(measured.map(([row, { samples }]) => {
    return [row, median(samples.map(({ value }) => value))];
  }));
  const base = rows.has(OURS) ? OURS : [...rows.keys()][0];
  const judged = judge(goals, medians);
  const summary = ([row, { samples, error, absent }]) => ({
    row,
    median: medians.get(row) ?? null,
    ratio: medians.has(row) && medians.has(base) ? medians.get(row) / medians.get(base) : null,
    details: medians.has(row) ? medianDetails(samples) : {},
    goal: judged.get(row) ?? null,
    samples: samples.map(({ value }) => value),
    error,
    absent,
  });
  return { name, title, unit, base, details, rows: [...rows].map(summary) };
}

async function runCase(one, options) {
  return summarize(one, await measureCase(one, options));
}

module.exports = { runCase };

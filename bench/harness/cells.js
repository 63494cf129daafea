'use strict';

// The measurement of a cell of a benchmark, by what that exports (benchmark.js).

const { summarizeCare } = require('./open-loop');

// Adds a run to each row of the rounds { run, rows }.
async function measureCell(benchmark, cell, turns, opened) {
  if (benchmark.measure) return benchmark.measure(cell, turns, opened);
  for (const { run, rows } of turns) {
    const shared = await benchmark.prepare?.(cell, run, opened);
    for (const { runs, ...row } of rows) {
      runs.push(await benchmark.measureRow(row, cell, shared, opened));
    }
  }
}

// The cell with the figures of its rows.
const summarizeCell = (benchmark, cell) => benchmark.summarize?.(cell) ?? {
  ...cell,
  rows: cell.rows.map(({ runs, ...row }) =>
    ({ ...row, ...summarizeCare(runs), ...benchmark.summarizeRow(runs, cell) })),
};

module.exports = { measureCell, summarizeCell };

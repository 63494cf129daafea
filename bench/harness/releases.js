'use strict';

// `npm run bench compare`: compares two results of benchmarks, and keeps those of each release in
// bench/results/releases.json. A result is what `--json` writes; of those of a release only the
// figures are kept, not the runs behind them.

const fs = require('node:fs');
const path = require('node:path');
const { fixed, nameColumn } = require('./report');

const FILE = path.join(__dirname, '..', 'results', 'releases.json');

// The members of cells and rows from which their figures were computed.
const RAW = ['goals', 'rounds', 'runs'];

const withoutRuns = (row) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !RAW.includes(name)));

// The part of a result that is kept.
const kept = ({ benchmark, version, date, node, machine, cells }) => ({
  benchmark, version, date, node, machine,
  cells: cells.map(({ rows, ...cell }) => ({ ...withoutRuns(cell), rows: rows.map(withoutRuns) })),
});

const isSame = (one, other) =>
  ['benchmark', 'version', 'node', 'machine'].every((name) => one[name] === other[name]);

// The results of releases, with one that is new or replaces an older one of the same release.
const withResult = (results, result) =>
  [...results.filter((each) => !isSame(each, result)), kept(result)];

// The pairs of results that two lists have of a benchmark and a version of Node.
function pairsOf(ones, others) {
  const major = ({ node }) => /\d+/.exec(node)[0];
  return ones.flatMap((one) => others
    .filter((other) => other.benchmark === one.benchmark && major(other) === major(one))
    .map((other) => [one, other]));
}

// The figures of a cell that both results have, as rows { name, format, one, other }.
function figuresOf(cell, otherCell, columns) {
  return cell.rows.flatMap((row) => {
    const otherRow = otherCell.rows.find(({ name }) => name === row.name);
    return columns.filter(({ figure }) => figure !== undefined && otherRow !== undefined)
      .map(({ head, figure, format }) => ({
        name: `${row.name}, ${head.replaceAll('\n', ' ')}`,
        format, one: figure(row), other: figure(otherRow),
      }))
      .filter(({ one, other }) => Number.isFinite(one) && Number.isFinite(other));
  });
}

// The cells that both results have, with the figures that both have as rows. `columnsOf` is the
// function `columns` of their benchmark.
function compare(one, other, columnsOf) {
  return one.cells.flatMap((cell) => {
    const otherCell = other.cells.find(({ title }) => title === cell.title);
    if (otherCell === undefined) return [];
    const rows = figuresOf(cell, otherCell, columnsOf(cell));
    return rows.length === 0 ? [] : [{ title: cell.title, rows }];
  });
}

const ratio = fixed(2);

// The columns of compared cells.
const comparedColumns = () => [
  nameColumn(),
  { head: 'first', value: ({ one, format }) => format(one) },
  { head: 'second', value: ({ other, format }) => format(other) },
  { head: 'second / first', value: ({ one, other }) => ratio(other / one) },
];

// Says what is compared. On different machines, or in another hour, times differ by a third.
function introduce(one, other) {
  const describe = ({ version, date, node, machine }) =>
    `uv-scheduler ${version}, Node ${node}, ${date}, ${machine}`;
  const warning = one.machine === other.machine ? ''
    : 'The machines differ: compare how the ratios of a table differ from each other.\n';
  return `${one.benchmark}\n  first:  ${describe(one)}\n  second: ${describe(other)}\n${warning}`;
}

const readReleases = () => JSON.parse(fs.readFileSync(FILE, 'utf8'));

function writeReleases(results) {
  fs.writeFileSync(FILE, `${JSON.stringify(results, null, 1)}\n`);
}

module.exports = {
  compare, comparedColumns, introduce, pairsOf, readReleases, withResult, writeReleases,
};

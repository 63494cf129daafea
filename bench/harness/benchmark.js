'use strict';

// Runs the benchmark that the first argument names: reads its options, measures its cells, prints
// the results and writes them. A benchmark is a folder of bench/ that exports
//
//   about, options           the text of its help, and its options beside those of all
//   open(options, processes) resolves to what it measures with; `end()` of that is called at last,
//                            and its `facts` are results. Its `findFaults(cells)` returns texts
//                            that say why the measurement itself is not valid
//   plan(options, opened)    its cells { title, rows }, of rows { name, runs: [] }; `rounds` may be
//                            fewer than those of the options
//   prepare(cell, run, opened)
//                            resolves to what the rows of a round share, such as their visitors
//   measureRow(row, cell, shared, opened)
//                            resolves to a run of a row
//   measure(cell, rounds, opened)
//                            in place of both, adds a run to each row of the rounds { run, rows }
//   summarizeRow(runs, cell) the figures of a row, beside those of summarizeCare()
//   summarize(cell)          in place of that, the cell with the figures of its rows; `ideal` and
//                            `idealOverHttp` may be two more
//   judge(cells)             the goals (report.js)
//   columns(cell)            of the table of a cell
//   introduce(results)       Markdown that says what was measured, and how
//   draw(results)            resolves to the plot, for --svg

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { version } = require('../../package.json');
const { measureCell, summarizeCell } = require('./cells');
const { createChildren } = require('./children');
const { createProgress } = require('./progress');
const { createOptions, file } = require('./options');
const { createProcesses } = require('./processes');
const { faultLines, goalLines, markdownTables, terminalTables } = require('./report');
const { ordered, sum } = require('./statistics');

const ROOT = path.join(__dirname, '..');

const find = (name) => require(path.join(ROOT, name));

// The machine, as far as figures depend on it.
const machine = () =>
  `${process.platform}-${process.arch}, ${os.cpus().length} × ${os.cpus()[0]?.model.trim()}`;

// The values of the options, or null if an error or the help was printed instead.
function readOptions(name, args) {
  const { about, options, draw } = find(name);
  return createOptions(`bench ${name}`, about, {
    ...options,
    markdown: file('write the results in Markdown to FILE'),
    ...draw && { svg: file('write the plot to FILE') },
  })(args);
}

// The rounds of a cell, by their numbers; `step(row, run)` is called before each row.
function* roundsOf({ rows }, runs, step = () => {}) {
  const rowsOf = function* (run) {
    for (const row of ordered(rows, run)) {
      step(row, run);
      yield row;
    }
  };
  for (const run of runs) yield { run, rows: rowsOf(run) };
}

async function measureCells(benchmark, cells, opened, options) {
  const roundsFor = ({ rounds = options.rounds }) => rounds;
  const progress = createProgress(sum(cells.map((cell) => cell.rows.length * roundsFor(cell))));
  for (const cell of cells) {
    const rounds = roundsFor(cell);
    const step = ({ name }, run) =>
      progress.step(`${cell.title}, round ${run + 1} of ${rounds}: ${name}`);
    await measureCell(benchmark, cell, roundsOf(cell, Array(rounds).keys(), step), opened);
  }
  progress.end();
}

async function measure(benchmark, options, processes) {
  const opened = await benchmark.open?.(options, processes) ?? {};
  try {
    const plan = benchmark.plan(options, opened);
    await measureCells(benchmark, plan, opened, options);
    const cells = plan.map((cell) => summarizeCell(benchmark, cell));
    return {
      ...opened.facts, cells,
      goals: benchmark.judge?.(cells) ?? [],
      faults: opened.findFaults?.(cells) ?? [],
    };
  } finally {
    await opened.end?.();
  }
}

// The head of the results: what was measured, and by which command.
function introduction(name, args, benchmark, results) {
  const { date, node, options: { rounds, seconds } } = results;
  const command = [`npm run bench ${name}`, ...args.length > 0 ? ['--', ...args] : []].join(' ');
  const length = seconds === undefined ? '' : ` of ${seconds} s`;
  return `# ${benchmark.title}\n\n\`${command}\`\n\nNode ${node}, `
    + `${date}; rounds for each row: ${rounds}${length}.\n\n`
    + `${benchmark.introduce(results)}\n`;
}

// The text of the file that each of these options names.
const WRITTEN = {
  json: (results) => `${JSON.stringify(results, null, 2)}\n`,
  markdown: ({ cells, faults }, { columns }, head) =>
    head + markdownTables(cells, columns) + faultLines(faults),
  svg: (results, { draw }) => draw(results),
};

// The file that an option names. With several versions of Node each has its own. Fails now, rather
// than after minutes of measuring, if it cannot be written.
function fileOf(output, options) {
  const { dir, name, ext } = path.parse(options[output]);
  const version = options.node === 'all' ? `-${process.versions.node.split('.')[0]}` : '';
  const file = path.join(dir, `${name}${version}${ext}`);
  fs.closeSync(fs.openSync(file, 'a'));
  return file;
}

async function runBenchmark(name, args) {
  const options = readOptions(name, args);
  if (options === null) return;
  const benchmark = find(name);
  const { startChild, finish } = createChildren(`bench ${name}`);
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  try {
    const outputs = Object.keys(WRITTEN).filter((output) => options[output])
      .map((output) => ({ write: WRITTEN[output], to: fileOf(output, options) }));
    const measured = await measure(benchmark, options, createProcesses(startChild));
    const results = {
      benchmark: name, version, date: new Date().toISOString().slice(0, 10),
      node: process.version, machine: machine(), options, ...measured,
    };
    const { cells, goals, faults } = results;
    const head = introduction(name, args, benchmark, results);
    process.stdout.write(`${head}${terminalTables(cells, benchmark.columns)}\n`
      + `${goalLines(goals)}${faultLines(faults)}`);
    for (const { write, to } of outputs) {
      fs.writeFileSync(to, await write(results, benchmark, head));
    }
    finish(undefined, process.exitCode);
  } catch (error) {
    finish(error);
  }
}

if (require.main === module) runBenchmark(process.argv[2], process.argv.slice(3));

module.exports = { find, readOptions, roundsOf };

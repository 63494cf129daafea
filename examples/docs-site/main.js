'use strict';

// Runs the example: reads the arguments, starts the servers and the load process, measures the
// strategies in turns, and ends all processes. load.js takes the measurements, and report.js prints
// them.

const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');

const { createChildren } = require('./children');
const { ROWS: EQUALS_ROWS, measureEquals } = require('./equals');
const { ROWS: OVERLOAD_ROWS, measureOverload } = require('./overload');
const { createProgress } = require('./progress');
const { printReport } = require('./report');
const { ROWS, startRow } = require('./rows');
const { summarize } = require('./summary');

const USAGE = `usage: npm start -- [--seconds N] [--json] [--trace FILE]
       npm start -- --runs N [--seconds N] [--json]
       npm start -- --serve [--port N] [--busy] [--trace FILE]

  --seconds N   measure each strategy for about N seconds (default: 5)
  --json        print the results as JSON
  --runs N      run all of it N times, and print medians and ranges as a table in Markdown
  --trace FILE  write what the tasks of the uv-scheduler strategy do for a second, when all was
                measured, as a Chrome trace; with --serve, what they do until the end
  --serve       serve the site until interrupted, with the uv-scheduler strategy; on SIGTERM it
                answers what it has accepted, and ends. /scheduler shows what its tasks do
  --port N      with --serve: the port (default: a free one)
  --busy        with --serve: build the search index again and again, not once
  --help        print this
`;

// The rows are measured in short alternating turns, so that other load on the machine affects all.
const TURNS = 4;
const { startChild, finish } = createChildren('docs-site');

/** Returns the path of a file, which it creates: a run takes too long to fail at its end. */
function openable(name) {
  if (name === undefined) return undefined;
  if (name === '') throw new TypeError('--trace needs the name of a file');
  fs.closeSync(fs.openSync(name, 'w'));
  return path.resolve(name);
}

function readArguments(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      seconds: { type: 'string' },
      json: { type: 'boolean' },
      runs: { type: 'string' },
      trace: { type: 'string' },
      serve: { type: 'boolean' },
      port: { type: 'string' },
      busy: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const number = (name, fallback, min, max) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (values[name]?.trim() === '' || !(value >= min && value <= max)) {
      throw new TypeError(`--${name} must be a number from ${min} to ${max}, `
        + `not '${values[name]}'`);
    }
    return value;
  };
  for (const name of ['seconds', 'json', 'runs']) {
    if (values.serve && values[name] !== undefined) {
      throw new TypeError(`--serve does not go with --${name}`);
    }
  }
  if (values.runs !== undefined && values.trace !== undefined) {
    throw new TypeError('--runs does not go with --trace');
  }
  for (const name of ['port', 'busy']) {
    if (!values.serve && values[name] !== undefined) throw new TypeError(`--${name} needs --serve`);
  }
  return {
    help: values.help,
    json: values.json,
    runs: values.runs === undefined ? undefined : Math.trunc(number('runs', 1, 1, 100)),
    trace: openable(values.trace),
    serve: values.serve,
    isBusy: values.busy,
    seconds: number('seconds', 5, 1, 600),
    port: Math.trunc(number('port', 0, 0, 65535)),
  };
}

async function compare({ seconds, json, trace }) {
  const isTraced = trace !== undefined;
  const progress = createProgress(
    1 + ROWS.length * (1 + TURNS) + (isTraced ? 1 : 0) + EQUALS_ROWS + OVERLOAD_ROWS);
  const load = startChild(path.join(__dirname, 'load.js'));
  progress.step('starting the servers');
  const rows = await Promise.all(ROWS.map((row) => startRow(row, { load, startChild })));
  const all = [];
  for (const { raw, hashes } of rows) {
    progress.step(`fetching every page: ${raw.name}`);
    all.push(await hashes());
  }
  const different = Object.keys(all[0]).filter((url) => all.some((h) => h[url] !== all[0][url]));
  for (let turn = 0; turn < TURNS; turn++) {
    // Every second turn goes backwards, so that no row always follows the same one.
    for (const { raw, measure } of turn % 2 === 0 ? rows : [...rows].reverse()) {
      progress.step(`measuring, turn ${turn + 1} of ${TURNS}: ${raw.name}`);
      await measure(seconds / TURNS, turn);
    }
  }
  if (isTraced) {
    const row = rows.find(({ raw }) => raw.strategy === 'prioritized' && raw.indexing);
    progress.step(`tracing: ${row.raw.name}`);
    await row.trace(trace);
  }
  const equals = await measureEquals({
    startChild, step: (name) => progress.step(`short pages beside long ones: ${name}`),
  });
  const overload = await measureOverload({
    startChild, step: (name) => progress.step(`more visitors than can be served: ${name}`),
  });
  progress.end();
  const report = summarize(rows.map(({ raw }) => raw), {
    pages: rows[0].pageCount, bytes: rows[0].bytes, different, equals, overload,
  });
  if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else printReport(report);
  if (different.length > 0) {
    throw new Error(`${different.length} pages differ between the strategies`);
  }
}

function main() {
  let options;
  try {
    options = readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`docs-site: ${error.message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  if (options.serve) {
    const { serve } = require('./serve');
    serve(options).catch(finish);
    return;
  }
  if (options.runs !== undefined) {
    const { runSeveral } = require('./runs');
    runSeveral(options).catch(finish);
    return;
  }
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  compare(options).then(() => finish(), finish);
}

main();

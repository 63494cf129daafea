'use strict';

// Runs the example: reads the arguments, starts the servers and the load process, measures the
// strategies in turns, and ends all processes. load.js takes the measurements, and report.js prints
// them.

const path = require('node:path');
const { parseArgs } = require('node:util');

const { createChildren } = require('./children');
const { createProgress } = require('./progress');
const { printReport, summarize } = require('./report');

const USAGE = `usage: npm start -- [--seconds N] [--json]
       npm start -- --serve [--port N]

  --seconds N   measure each strategy for about N seconds (default: 5)
  --json        print the results as JSON
  --serve       serve the site until interrupted, with the uv-scheduler strategy
  --port N      with --serve: the port (default: a free one)
  --help        print this
`;

// The rows are measured in short alternating turns, so that other load on the machine affects all.
const TURNS = 4;
// The share of a row's time with reading visitors; in the rest the server is saturated.
const READING_SHARE = 0.7;

// How often every page is fetched first, so that the compiler has seen all code.
const WARM_UP = 2;

const ROWS = [
  { strategy: 'unchunked', indexing: true },
  { strategy: 'immediate', indexing: true },
  { strategy: 'prioritized', indexing: true },
  { strategy: 'prioritized', indexing: false },
];

const { startChild, finish } = createChildren('docs-site');

function readArguments(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      seconds: { type: 'string' },
      json: { type: 'boolean' },
      serve: { type: 'boolean' },
      port: { type: 'string' },
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
  if (values.serve && (values.seconds !== undefined || values.json)) {
    throw new TypeError('--serve goes with neither --seconds nor --json');
  }
  if (!values.serve && values.port !== undefined) throw new TypeError('--port needs --serve');
  return {
    help: values.help,
    json: values.json,
    serve: values.serve,
    seconds: number('seconds', 5, 1, 600),
    port: Math.trunc(number('port', 0, 0, 65535)),
  };
}

async function startRow({ strategy, indexing }, load) {
  const { name } = require('./strategies')[strategy];
  const server = startChild(path.join(__dirname, 'server.js'), [strategy]);
  const { url, paths, bytes } = await server.answer();
  const row = {
    name: indexing ? name : `${name}, no index rebuild`,
    indexing, health: [], first: [], complete: [],
    readingMs: 0, indexed: 0, saturatedPages: 0, saturatedMs: 0,
  };
  const count = async (command) => (await server.ask({ command })).added;
  return {
    row,
    bytes,
    pageCount: paths.length,
    /** Fetches every page a few times, which also warms up the server. */
    async hashes() {
      if (indexing) await server.ask({ command: 'start-indexing' });
      const { result } = await load.ask({ command: 'hashPages', url, paths, times: WARM_UP });
      await server.ask({ command: 'stop-indexing' });
      return result;
    },
    async measure(seconds) {
      const before = await count(indexing ? 'start-indexing' : 'count');
      const { result } = await load.ask({
        command: 'visit', url, paths, seconds: seconds * READING_SHARE,
      });
      row.indexed += await count('count') - before;
      for (const key of ['health', 'first', 'complete']) row[key].push(...result[key]);
      row.readingMs += result.elapsed;
      const { result: full } = await load.ask({
        command: 'saturate', url, paths, seconds: seconds * (1 - READING_SHARE),
      });
      row.saturatedPages += full.pages;
      row.saturatedMs += full.elapsed;
      await count('stop-indexing');
    },
  };
}

async function compare({ seconds, json }) {
  const progress = createProgress(1 + ROWS.length * (1 + TURNS));
  const load = startChild(path.join(__dirname, 'load.js'));
  progress.step('starting the servers');
  const rows = await Promise.all(ROWS.map((options) => startRow(options, load)));
  const all = [];
  for (const { row, hashes } of rows) {
    progress.step(`fetching every page: ${row.name}`);
    all.push(await hashes());
  }
  const different = Object.keys(all[0]).filter((url) => all.some((h) => h[url] !== all[0][url]));
  for (let turn = 0; turn < TURNS; turn++) {
    // Every second turn goes backwards, so that no row always follows the same one.
    for (const { row, measure } of turn % 2 === 0 ? rows : [...rows].reverse()) {
      progress.step(`measuring, turn ${turn + 1} of ${TURNS}: ${row.name}`);
      await measure(seconds / TURNS);
    }
  }
  progress.end();
  const report = summarize(rows.map(({ row }) => row), {
    pages: rows[0].pageCount, bytes: rows[0].bytes, different,
  });
  if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else printReport(report);
  if (different.length > 0) {
    throw new Error(`${different.length} pages differ between the strategies`);
  }
}

async function serve(port) {
  // React reads this when it is loaded.
  process.env.NODE_ENV = 'production';
  const { startServer } = require('./server');
  const { prioritized } = require('./strategies');
  const { index, url, site } = await startServer(prioritized, { port });
  process.stdout.write(`${site.documents.length} documents at ${url}/ (Ctrl+C ends it)\n`);
  index.start();
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
    // The user interrupts the process to end it.
    process.on('SIGINT', () => process.exit(0));
    process.on('SIGTERM', () => process.exit(0));
    serve(options.port).catch(finish);
    return;
  }
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  compare(options).then(() => finish(), finish);
}

main();

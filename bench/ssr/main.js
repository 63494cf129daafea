'use strict';

// Runs the benchmark: starts a server for each strategy and the load process, measures the rounds,
// and writes the results. plan.js defines the measurements and their order, goals.js judges them.

const fs = require('node:fs');
const path = require('node:path');

const { createChildren } = require('../../examples/docs-site/children');
const { createProgress } = require('../../examples/docs-site/progress');

const { judge, judgeSynthetic } = require('./goals');
const { readOptionsOrExplain } = require('./options');
const { createPlan, orderOf } = require('./plan');
const { writePlots } = require('./plot');
const { printReport } = require('./report');
const { summarize } = require('./statistics');
const { countSteps, measureSynthetic } = require('./synthetic-main');

const LOAD = path.join(__dirname, 'load.js');
const SERVER = path.join(__dirname, 'server.js');

// A measurement is given up on after this many seconds more than it should take. A configuration
// that was given up on during its warm-up gets less afterwards: it would not end then, either.
const PATIENCE = 10;
const LITTLE_PATIENCE = 3;

const { startChild, finish } = createChildren('bench:ssr');

async function startStrategy(strategy, load) {
  const server = startChild(SERVER, [strategy], [...process.execArgv, '--expose-gc']);
  const { url, paths, bytes, sectionsPerPage } = await server.answer();
  const ask = async (child, message) => (await child.ask(message)).result;
  return {
    documents: paths.length,
    bytes,
    sectionsPerPage,
    /** Builds the index, visits every page, and resolves to the hashes of the pages. */
    async warmUp() {
      await ask(server, { command: 'buildIndex' });
      return ask(load, { command: 'hashPages', url, paths, times: 1 });
    },
    async measure({ pages, background, width }, seconds, patience) {
      await ask(load, { command: 'connect', url, clients: pages });
      await ask(server, { command: 'begin', background, width });
      const visits = await ask(load, {
        command: 'saturate', url, paths, seconds, limit: seconds + patience, clients: pages,
      });
      return { load: visits, server: await ask(server, { command: 'end' }) };
    },
  };
}

/** Every strategy must deliver the same bytes, or the comparison means nothing. */
function checkHashes(all) {
  const [first, ...rest] = all;
  const different = Object.keys(first).filter((url) =>
    first[url].includes(',') || rest.some((hashes) => hashes[url] !== first[url]));
  if (different.length > 0) {
    throw new Error(`${different.length} pages differ between the strategies`);
  }
}

async function measureAll(options) {
  const load = startChild(LOAD);
  const servers = {};
  const hashes = [];
  for (const strategy of options.strategies) {
    servers[strategy] = await startStrategy(strategy, load);
  }
  const { documents, bytes, sectionsPerPage } = Object.values(servers)[0];
  const plan = createPlan(options, sectionsPerPage);
  const progress = createProgress(
    options.strategies.length + plan.flat().length * (1 + options.rounds)
      + (options.open > 0 ? countSteps(options) : 0));
  for (const strategy of options.strategies) {
    progress.step(`visiting every page: ${strategy}`);
    hashes.push(await servers[strategy].warmUp());
  }
  checkHashes(hashes);

  const step = (text, { pages, name, label }) =>
    progress.step(`${text}: ${pages} at once, ${name}, background work: ${label}`);
  for (const configuration of plan.flat()) {
    step('warming up', configuration);
    const { load: { cut } } = await servers[configuration.strategy].measure(
      configuration, 0, PATIENCE);
    configuration.patience = cut ? LITTLE_PATIENCE : PATIENCE;
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const configuration of orderOf(plan, round)) {
      step(`round ${round + 1} of ${options.rounds}`, configuration);
      const { strategy, raw, patience } = configuration;
      raw.push(await servers[strategy].measure(configuration, options.seconds, patience));
    }
  }
  const synthetic = options.open === 0 ? null
    : await measureSynthetic(options, { load, startChild }, progress);
  progress.end();
  const rows = plan.flat().map(({ raw, ...row }) => ({ ...row, ...summarize(raw) }));
  const goals = [...judge(rows), ...(synthetic === null ? [] : judgeSynthetic(synthetic))];
  return { node: process.version, documents, bytes, options, rows, synthetic, goals };
}

async function main() {
  const options = readOptionsOrExplain(process.argv.slice(2));
  if (options === null) return;
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  try {
    // Fails now, rather than after minutes of measuring, if the results cannot be written.
    fs.mkdirSync(options.svg, { recursive: true });
    if (options.json !== null) fs.writeFileSync(options.json, '');
    const results = await measureAll(options);
    printReport(results);
    if (options.json !== null) {
      fs.writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
    }
    const files = await writePlots(options.svg, results);
    process.stdout.write(`\n${files.map((file) => `wrote ${file}\n`).join('')}`);
    finish();
  } catch (error) {
    finish(error);
  }
}

main();

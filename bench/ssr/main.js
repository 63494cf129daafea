'use strict';

// Runs the benchmark: starts a server for each strategy and the load process, measures the rounds,
// and writes the results. plan.js defines the measurements and their order, goals.js judges them.

const path = require('node:path');

const { createProcesses } = require('../processes');
const { runBenchmark } = require('../run');

const { judge, judgeSynthetic } = require('./goals');
const { readOptionsOrExplain } = require('./options');
const { createPlan, orderOf } = require('./plan');
const { writePlots } = require('./plot');
const { print } = require('./report');
const { summarize } = require('./statistics');
const { countSteps, measureSynthetic } = require('./synthetic-main');

const LOAD = path.join(__dirname, 'load.js');
const SERVER = path.join(__dirname, 'server.js');

// A measurement is given up on after this many seconds more than it should take. A configuration
// that was given up on during its warm-up gets less afterwards: it would not end then, either.
const PATIENCE = 10;
const LITTLE_PATIENCE = 3;

async function startStrategy(strategy, { load, startServer }) {
  const server = await startServer(SERVER, { strategy },
    { execArgv: [...process.execArgv, '--expose-gc'], place: 'any' });
  const { url, paths, bytes, sectionsPerPage, ask } = server;
  return {
    documents: paths.length,
    bytes,
    sectionsPerPage,
    /** Builds the index, visits every page, and resolves to the hashes of the pages. */
    async warmUp() {
      await ask('buildIndex');
      return load.ask('hashPages', { url, paths, times: 1 });
    },
    async measure({ pages, background, width }, seconds, patience) {
      await load.ask('connect', { url, clients: pages });
      await ask('begin', { background, width });
      const visits = await load.ask(
        'saturate', { url, paths, seconds, limit: seconds + patience, clients: pages });
      return { load: visits, server: await ask('end') };
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

async function measure(options, { startChild, createProgress }) {
  const processes = createProcesses(startChild);
  const load = processes.start(LOAD, { place: 'any' });
  const servers = {};
  const hashes = [];
  for (const strategy of options.strategies) {
    servers[strategy] = await startStrategy(strategy, { ...processes, load });
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
    : await measureSynthetic(options, { ...processes, load }, progress);
  progress.end();
  const rows = plan.flat().map(({ raw, ...row }) => ({ ...row, ...summarize(raw) }));
  const goals = [...judge(rows), ...(synthetic === null ? [] : judgeSynthetic(synthetic))];
  return { documents, bytes, rows, synthetic, goals };
}

runBenchmark({
  command: 'bench ssr', readOptions: readOptionsOrExplain, measure, print,
  outputs: { svg: writePlots },
});

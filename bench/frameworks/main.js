'use strict';

// Runs the benchmark: for each program, starts a server of each variant and measures them in turns,
// with visitors who arrive at their own times (an open loop). The load process is bench:ssr's.

const fs = require('node:fs');
const path = require('node:path');
const { quantile } = require('simple-statistics');
const { createChildren } = require('../../examples/docs-site/children');
const { createProgress } = require('../../examples/docs-site/progress');
const { createArrivals } = require('../arrivals');
const { LOADS, PROGRAMS, VARIANTS, commandOf, runsOn } = require('./list');
const { readOptionsOrExplain } = require('./options');
const { toMarkdown, writeInto } = require('./report');

const DOCUMENT = path.join(__dirname, '..', '..', 'docs', 'frameworks.md');
const LOAD = path.join(__dirname, '..', 'ssr', 'load.js');

// More visitors than ever wait at once at these loads, in most runs.
const CLIENTS = 32;
const WARM_UP_SECONDS = 1.5;
const CALIBRATION_SECONDS = 1;

const { startChild, finish } = createChildren('bench:frameworks');

const ordered = (list, run) => (run % 2 === 0 ? list : [...list].reverse());

function summarize({ complete, health, elapsed }) {
  const [pageP50, pageP99] = quantile(complete, [0.5, 0.99]);
  return {
    healthP99: quantile(health, 0.99),
    pageP50,
    pageP99,
    pagesPerSecond: complete.length / elapsed * 1000,
  };
}

async function startServers(program) {
  const servers = [];
  for (const variant of VARIANTS) {
    const { file, args } = commandOf(program, variant);
    const child = startChild(file, args);
    const { url } = await child.answer();
    servers.push({ variant, child, url });
  }
  return servers;
}

// `ask` sends a command to the load process.
async function measureProgram(program, { runs, seconds }, ask, progress) {
  const { name, title, page = '/page' } = program;
  const servers = await startServers(program);
  const calibrate = async ({ url }, time) => {
    await ask({ command: 'connect', url, clients: 1 });
    return ask({ command: 'calibrate', url, path: page, seconds: time });
  };
  for (const server of servers) {
    progress.step(`${name}: warming up ${server.variant}`);
    await calibrate(server, WARM_UP_SECONDS);
  }
  const rows = LOADS.flatMap((load) => servers.map(({ variant }) =>
    ({ program: name, title, load, variant, runs: [] })));
  for (let run = 0; run < runs; run++) {
    const capacity = await calibrate(servers[0], CALIBRATION_SECONDS);
    for (const row of ordered(rows, run)) {
      progress.step(`${name}, run ${run + 1} of ${runs}: ${row.variant} at ${row.load}`);
      const { url } = servers.find(({ variant }) => variant === row.variant);
      // The same for all variants.
      const perSecond = capacity * row.load;
      const arrivals = createArrivals({ perSecond, seconds, seed: run + 1 });
      await ask({ command: 'connect', url, clients: CLIENTS });
      row.runs.push(summarize(await ask({ command: 'arrive', url, path: page, arrivals })));
    }
  }
  for (const { child } of servers) await child.end();
  return rows;
}

async function measureAll(options) {
  const child = startChild(LOAD);
  const ask = async (message) => (await child.ask(message)).result;
  const programs = PROGRAMS.filter((program) =>
    options.only.includes(program.name) && runsOn(program));
  const steps = VARIANTS.length * (1 + options.runs * LOADS.length);
  const progress = createProgress(programs.length * steps);
  const rows = [];
  for (const program of programs) {
    rows.push(...await measureProgram(program, options, ask, progress));
  }
  progress.end();
  return { node: process.version, options, loads: LOADS, rows };
}

async function main() {
  const options = readOptionsOrExplain(process.argv.slice(2));
  if (options === null) return;
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  try {
    const results = await measureAll(options);
    const markdown = toMarkdown(results);
    process.stdout.write(markdown);
    if (options.json !== null) {
      fs.writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
    }
    if (options.write) writeInto(DOCUMENT, markdown);
    finish();
  } catch (error) {
    finish(error);
  }
}

main();

'use strict';

// Runs the benchmark: for each program, starts a server of each variant and measures them in turns,
// with visitors who arrive at their own times (an open loop). The load process is bench ssr's.

const fs = require('node:fs');
const path = require('node:path');
const { createArrivals } = require('../arrivals');
const { createProcesses } = require('../processes');
const { runBenchmark } = require('../run');
const { ordered, summarizeTimes } = require('../statistics');
const { LOADS, PROGRAMS, VARIANTS, commandOf, runsOn } = require('./list');
const { readOptionsOrExplain } = require('./options');
const { allRows, toMarkdown } = require('./report');

const LOAD = path.join(__dirname, '..', 'ssr', 'load.js');

// More visitors than ever wait at once at these loads, in most runs.
const CLIENTS = 32;
const WARM_UP_SECONDS = 1.5;
const CALIBRATION_SECONDS = 1;
const CPU_SECONDS = 2;

function summarize({ complete, health, elapsed }) {
  const { p50: pageP50, p99: pageP99 } = summarizeTimes(complete);
  const pagesPerSecond = complete.length / elapsed * 1000;
  return { healthP99: summarizeTimes(health).p99, pageP50, pageP99, pagesPerSecond };
}

async function startServers(program, start) {
  const servers = [];
  for (const variant of VARIANTS) {
    const { file, args } = commandOf(program, variant);
    const child = start(file, { args, place: 'any' });
    servers.push({ variant, child, ...await child.answer() });
  }
  return servers;
}

/** The processor time of a server for a page, in ms, with one visitor. `ask` as below. */
async function measureCpu({ child, url }, page, ask) {
  const before = await child.ask('read');
  const { complete } = await ask('visitAlone', { url, paths: [page], seconds: CPU_SECONDS });
  const after = await child.ask('read');
  return (after.cpu - before.cpu) / complete.length;
}

// `ask` sends a command to the load process.
async function measureProgram(program, { runs, seconds }, { start, ask }, progress) {
  const { name, title, page = '/page' } = program;
  const servers = await startServers(program, start);
  const calibrate = async ({ url }, time) => {
    await ask('connect', { url, clients: 1 });
    return ask('calibrate', { url, path: page, seconds: time });
  };
  for (const server of servers) {
    progress.step(`${name}: warming up ${server.variant}`);
    await calibrate(server, WARM_UP_SECONDS);
  }
  const rows = LOADS.flatMap((load) => servers.map(({ variant }) =>
    ({ program: name, title, load, variant, runs: [] })));
  for (let run = 0; run < runs; run++) {
    const capacity = await calibrate(servers[0], CALIBRATION_SECONDS);
    const cpu = {};
    for (const server of ordered(servers, run)) {
      progress.step(`${name}, run ${run + 1} of ${runs}: the processor time of ${server.variant}`);
      cpu[server.variant] = await measureCpu(server, page, ask);
    }
    for (const row of ordered(rows, run)) {
      progress.step(`${name}, run ${run + 1} of ${runs}: ${row.variant} at ${row.load}`);
      const { url } = servers.find(({ variant }) => variant === row.variant);
      // The same for all variants.
      const perSecond = capacity * row.load;
      const arrivals = createArrivals({ perSecond, seconds, seed: run + 1 });
      await ask('connect', { url, clients: CLIENTS });
      const result = summarize(await ask('arrive', { url, path: page, arrivals }));
      row.runs.push({ ...result, cpu: cpu[row.variant] });
    }
  }
  for (const { child } of servers) await child.end();
  return rows;
}

async function measure(options, { startChild, createProgress }) {
  const { start } = createProcesses(startChild);
  const { ask } = start(LOAD, { place: 'any' });
  const programs = PROGRAMS.filter((program) =>
    options.only.includes(program.name) && runsOn(program));
  const steps = VARIANTS.length * (1 + options.runs * (1 + LOADS.length));
  const progress = createProgress(programs.length * steps);
  const rows = [];
  for (const program of programs) {
    rows.push(...await measureProgram(program, options, { start, ask }, progress));
  }
  progress.end();
  return { loads: LOADS, rows };
}

const print = (results) => process.stdout.write(allRows(results));

runBenchmark({
  command: 'bench frameworks', readOptions: readOptionsOrExplain, measure, print,
  outputs: { markdown: (file, results) => fs.writeFileSync(file, toMarkdown(results)) },
});

'use strict';

// Measures code of one priority that shares the thread: a page of 2,000 items of 10 µs beside a
// report of 200 pieces of 5 ms. How long each takes, and health checks beside both; and what a
// question whether to yield costs.

const http = require('node:http');
const { setTimeout: timeout } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const { mean, median, quantile } = require('simple-statistics');
const { scheduler, shouldYield } = require('../../..');
const { IDIOMS, nextImmediate } = require('../../equals/work.js');
const { OURS, atMost, atMostAndPart, timesAsMuch } = require('../goals.js');

const PAGE = { count: 2_000, ms: 0.01 };
const REPORT = { count: 200, ms: 5 };

// The page comes when the report has been under way for so many milliseconds.
const LEAD = 50;

const IMMEDIATES = 'setImmediate, each ms';

const asPlainCode = (code) => code();
const asTask = (code) => scheduler.postTask(code);
const inBackground = (code) => scheduler.postTask(code, { priority: 'background' });

const ROWS = {
  [IMMEDIATES]: { work: IDIOMS.immediate, start: asPlainCode },
  [OURS]: { work: IDIOMS.shouldYield, start: asPlainCode },
  'pieces()': { work: IDIOMS.pieces, start: asPlainCode },
  'tasks': { work: IDIOMS.shouldYield, start: asTask },
  'tasks, pieces()': { work: IDIOMS.pieces, start: asTask },
  'background work': { work: IDIOMS.shouldYield, start: inBackground },
  'background work, pieces()': { work: IDIOMS.pieces, start: inBackground },
};

const OWN_ROWS = Object.keys(ROWS).filter((row) => row !== IMMEDIATES);

const HEALTH_ROWS = {
  'a yield() after each piece': { work: IDIOMS.yield, start: asPlainCode },
  [IMMEDIATES]: ROWS[IMMEDIATES],
  [OURS]: ROWS[OURS],
};

async function timed(code) {
  const before = performance.now();
  await code();
  return performance.now() - before;
}

// Starts a page and a report, and resolves to what each has taken. Both have begun before, as
// requests that wait for their data: a task that has not begun comes behind every continuation of
// its priority.
async function measureBoth({ work, start }) {
  const data = timeout(1);
  const [report, page] = await Promise.all([
    start(() => data.then(() => timed(() => work(REPORT)))),
    start(() => data.then(() => timeout(LEAD)).then(() => timed(() => work(PAGE)))),
  ]);
  return { page, report };
}

async function measurePage(row) {
  const { page } = await measureBoth(ROWS[row]);
  return { value: page };
}

// As a multiple of the time that it takes alone. The page's own work is a fiftieth of that.
async function measureReport(row) {
  const { work, start } = ROWS[row];
  const alone = await start(() => timed(() => work(REPORT)));
  const { report } = await measureBoth(ROWS[row]);
  return { value: report / alone };
}

const CHECKS = `
  const http = require('node:http');
  const { parentPort, workerData: { url, pause } } = require('node:worker_threads');
  const agent = new http.Agent({ keepAlive: true });
  const times = [];
  let isOver = false;
  function check() {
    if (isOver) return parentPort.postMessage(times), agent.destroy();
    const before = performance.now();
    http.get(url, { agent }, (response) => response.resume().on('end', () => {
      times.push(performance.now() - before);
      setTimeout(check, pause);
    }));
  }
  parentPort.once('message', () => (isOver = true));
  check();
`;

const CHECK_PAUSE = 3;

// The health checks of one thread, one after the other, while the page and the report are served by
// the other one.
async function measureHealth(row) {
  const server = http.createServer((request, response) => response.end('ok'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const workerData = { url: `http://127.0.0.1:${server.address().port}`, pause: CHECK_PAUSE };
  const worker = new Worker(CHECKS, { eval: true, workerData });
  await new Promise((resolve) => server.once('request', resolve));
  await measureBoth(HEALTH_ROWS[row]);
  const answered = new Promise((resolve) => worker.once('message', resolve));
  worker.postMessage('end');
  const times = await answered;
  server.close();
  return { value: mean(times), details: { p99: quantile(times, 0.99) } };
}

// The number of questions that are timed together.
const SEGMENT = 100_000;
const SEGMENTS = 20;

function askOften() {
  let yes = 0;
  for (let i = 0; i < SEGMENT; i++) if (shouldYield()) yes++;
  return yes;
}

// Where questions are asked; `beside` is queued meanwhile.
const QUESTIONS = {
  [OURS]: { start: asTask },
  'beside an equal': { start: asTask, beside: () => scheduler.yield() },
  'in background work': { start: inBackground },
  'in an immediate': { start: (code) => nextImmediate().then(code) },
};

async function measureQuestions(row) {
  const { start, beside } = QUESTIONS[row];
  const elapsed = [];
  for (let i = 0; i < SEGMENTS; i++) {
    await start(async () => {
      const other = beside?.();
      elapsed.push(await timed(askOften));
      await other;
    });
  }
  return { value: (median(elapsed) * 1e6) / SEGMENT };
}

function equalsCases() {
  const title = 'a page of 2,000 items of 10 µs beside a report of 200 pieces of 5 ms';
  const common = { processes: 'each row', maxRounds: 3 };
  return [
    {
      ...common,
      name: 'equals-page',
      title: `${title}: the page`,
      unit: 'ms',
      rows: Object.keys(ROWS),
      goals: OWN_ROWS.map((row) => atMostAndPart(60, 'ms', 0.5, IMMEDIATES, row)),
      measure: measurePage,
    },
    {
      ...common,
      name: 'equals-report',
      title: `${title}: the report, compared with the report alone`,
      unit: '×',
      rows: Object.keys(ROWS),
      goals: OWN_ROWS.map((row) => atMost(1.05, '×', row)),
      measure: measureReport,
    },
    {
      ...common,
      name: 'equals-health',
      title: `${title}: the mean time of health checks`,
      unit: 'ms',
      details: { p99: 'ms' },
      rows: Object.keys(HEALTH_ROWS),
      goals: [timesAsMuch('a yield() after each piece', 1.1)],
      measure: measureHealth,
    },
    {
      ...common,
      name: 'should-yield',
      title: 'a question whether to yield, in a loop that only asks',
      unit: 'ns',
      rows: Object.keys(QUESTIONS),
      goals: Object.keys(QUESTIONS).map((row) => atMost(25, 'ns', row)),
      measure: measureQuestions,
    },
  ];
}

module.exports = { equalsCases };

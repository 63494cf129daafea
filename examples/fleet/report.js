'use strict';

// Prints the table and what was kept of what is promised.

const path = require('node:path');

const { number, percent } = require('./format');
const { table } = require('../../bench/harness/table');

const pair = (title, key) => [
  { head: `${title}\np50 ms`, value: (row) => number(row[key].p50) },
  { head: 'p99 ms', value: (row) => number(row[key].p99) },
];
const share = (head, key) => ({ head, value: (row) => percent(row.utilization[key]) });

const COLUMNS = [
  { head: '', value: (row) => row.title },
  { head: 'jobs/s', value: (row) => row.jobsPerSecond.toFixed(1) },
  { head: 'given\nback', value: (row) => String(row.givenBack) },
  ...pair('/health', 'health'),
  ...pair('page', 'page'),
  share('user-\nblocking', 'user-blocking'),
  share('user-\nvisible', 'user-visible'),
  share('back-\nground', 'background'),
  share('other', 'other'),
  share('idle', 'idle'),
];

const LOADS = ['heavy load', 'light load'];

function printReport(report) {
  const { servers, alone, idleThreads, idleProcessors, possible, total, done } = report;
  const { claims, plot } = report;
  const rows = servers.flatMap(({ without, jobs }, i) => [
    { ...without, title: `${without.name}, ${LOADS[i]}, no jobs` },
    { ...jobs, title: `${jobs.name}, ${LOADS[i]}, with jobs` },
  ]);
  process.stdout.write(`${table(COLUMNS, rows)}\n\n`
    + `${total.toFixed(1)} jobs/s in all; ${possible.toFixed(1)} would fill the idle time: without `
    + `jobs ${idleThreads.toFixed(2)} threads and ${idleProcessors.toFixed(2)} processors were `
    + `idle, and a server without visitors does ${alone.toFixed(1)}\n`
    + `${done} jobs done; the picture is in ${path.relative(process.cwd(), plot)}\n\n`
    + `${claims.map(({ text, kept, detail }) =>
      `${kept ? 'kept  ' : 'missed'}  ${text} (${detail})`).join('\n')}\n`);
}

module.exports = { printReport };

'use strict';

// Runs the whole example several times, each time with new processes, and prints the median of each
// figure with the smallest and the largest one: two runs differ by more than some rows do.

const { spawn } = require('node:child_process');
const path = require('node:path');

const { median } = require('simple-statistics');

const MAIN = path.join(__dirname, 'main.js');

const tenths = (value) => value.toFixed(1);

const times = (head, key) =>
  ['p50', 'p99'].map((p) => ({ head: `${head} ${p}`, of: (row) => row[key][p], format: tenths }));

const COLUMNS = [
  ...times('/health', 'health'),
  ...times('first byte', 'firstByte'),
  ...times('page', 'page'),
  { head: 'pages/s', of: (row) => row.pagesPerSecond, format: (value) => value.toFixed(0) },
];

/** Runs the example once. Returns its report. */
function runOnce(seconds) {
  const args = [...process.execArgv, MAIN, '--json', '--seconds', String(seconds)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error('a run has failed; its own message is above'));
    });
  });
}

/** The median of some values, and their range. */
function spread(values, format) {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(format);
  const middle = format(median(values));
  return least === most ? middle : `${middle} (${least}–${most})`;
}

/** The table of several reports, in Markdown. */
function tableOfRuns(reports) {
  const line = (cells) => `| ${cells.join(' | ')} |\n`;
  const rows = reports[0].rows.map(({ name }, index) => {
    const cells = COLUMNS.map(({ of, format }) => {
      return spread(reports.map(({ rows: own }) => of(own[index])), format);
    });
    return line([name, ...cells]);
  });
  const heads = line(['times in ms', ...COLUMNS.map(({ head }) => head)]);
  return heads + line(Array(COLUMNS.length + 1).fill('---')) + rows.join('');
}

/** The number of runs that kept each claim. */
function claimsOfRuns(reports) {
  const lines = reports[0].claims.map(({ text }, index) => {
    const kept = reports.filter(({ claims }) => claims[index].kept).length;
    return `kept in ${kept} of ${reports.length}: ${text}\n`;
  });
  return lines.join('');
}

async function runSeveral({ runs, seconds, json }) {
  const reports = [];
  for (let run = 0; run < runs; run++) reports.push(await runOnce(seconds));
  if (json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
  else process.stdout.write(`${tableOfRuns(reports)}\n${claimsOfRuns(reports)}`);
}

module.exports = { claimsOfRuns, runSeveral, tableOfRuns };

'use strict';

// The report of a guard: a table of routes, with one line of advice, on standard error when the
// thread ends, and as JSON in a file.

const path = require('node:path');
const { isMainThread, threadId } = require('node:worker_threads');
const { snapshots } = require('../health/snapshots.js');
const internal = require('../internal.js');
const { writeLine } = require('../report/lines.js');
const { listensTo } = require('../report/listens-to.js');
const { replaceFile } = require('../report/replace-file.js');
const { toPage } = require('./page.js');
const { inMs, inPercent } = require('./units.js');

const { activeTime, now, setRepeated } = internal.time;

// The version of the JSON file.
const SCHEMA = 1;

// How often the file is written, in ms.
const EVERY = 5000;

// The most routes of the table and of the file.
const MOST_SHOWN = 20;
const MOST_WRITTEN = 1000;

// A route is worth a line if it takes this share of the thread, or blocks it for so many ms; and
// others wait for it if one in a hundred waits for so many ms.
const MUCH = 0.25;
const LONG = 50;

// The signals that end a process without a listener, as a rule.
const ENDING = ['SIGINT', 'SIGTERM'];
const GOES_ON = 'SIGUSR2';

const WIDTH = 100;
const INDENT = 2;

const round = (milliseconds) => Math.round(milliseconds * 1000) / 1000;

const refusedOf = ({ refused, wouldRefuse }) => refused + wouldRefuse;

// The columns in front of the route: their titles, widths and values.
const COLUMNS = [
  ['requests', 9, ({ requests }) => `${requests}`],
  ['thread', 9, ({ threadTime }) => inMs(threadTime)],
  ['share', 8, ({ share }) => inPercent(share)],
  ['mean', 8, ({ mean }) => inMs(mean)],
  ['longest', 9, ({ longest }) => inMs(longest)],
  ['wait p50', 9, ({ wait }) => inMs(wait.p50)],
  ['p99', 8, ({ wait }) => inMs(wait.p99)],
  ['refused', 10, (row) => `${refusedOf(row)}`],
];

function lineOf(cells, route) {
  const text = cells.map((cell, i) => cell.padStart(COLUMNS[i][1])).join('');
  const room = WIDTH - INDENT - text.length - 2;
  return `${text}  ${route.length > room ? `${route.slice(0, room - 1)}…` : route}`;
}

function toTable(rows, isObserving) {
  const titles = COLUMNS.map(([title]) => {
    return title === 'refused' && isObserving ? '(refused)' : title;
  });
  const lines = rows.slice(0, MOST_SHOWN).map((row) => {
    return lineOf(COLUMNS.map(([, , read]) => read(row)), row.route);
  });
  const more = rows.length > MOST_SHOWN ? [`${rows.length - MOST_SHOWN} more routes`] : [];
  return [lineOf(titles, 'route'), ...lines, ...more];
}

// One line that says what to do.
function toAdvice(rows, mode) {
  const refused = rows.reduce((sum, row) => sum + refusedOf(row), 0);
  const [top] = rows;
  const isMuch = top.share >= MUCH && (refused > 0 || top.longest >= LONG);
  const worst = isMuch ? top : rows.find(({ longest }) => longest >= LONG);
  const requests = refused === 1 ? 'one request' : `${refused} requests`;
  const were = refused === 1 ? 'was' : 'were';
  const refusal = `${requests} ${mode === 'observe' ? 'would be' : were} refused`;
  if (worst === undefined) {
    return refused > 0
      ? `${refusal}, of all routes: the thread has more work than time.`
      : 'No route takes much of the thread, and no request is refused.';
  }
  const waiting = rows.filter((row) => row !== worst && row.wait.p99 >= LONG).length;
  const { route, share, mean, longest } = worst;
  return [
    `${route} takes ${inPercent(share)} of the thread's busy time, ${inMs(mean)} each`,
    longest >= mean / 2 && longest >= LONG / 2 ? `, up to ${inMs(longest)} in one go` : '',
    ': cut it, cache it, or cap it.',
    waiting > 0 ? ` ${waiting} other route${waiting > 1 ? 's' : ''} waited.` : '',
    refused > 0 && mode === 'observe' ? ` With the mode enforce, ${refusal}.` : '',
  ].join('');
}

// The absolute name of the file for this thread, as the program may change its folder.
function fileOf({ UV_SCHEDULER_GUARD_FILE: name }) {
  if (!name) return undefined;
  const { ownName, resolveName } = internal.watch;
  return path.resolve(resolveName(ownName(name)));
}

// The lines of a text.
function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1).length + word.length >= WIDTH - INDENT) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${word}`;
  }
  return lines;
}

class Report {
  #guarding;
  #file;
  #shows;
  #beganAt = Date.now();
  #activeAt = activeTime();
  #startedAt = now();
  #lastCount = -1;
  // The report at the health server.
  #snapshot;

  constructor(guarding, { report = true }) {
    this.#guarding = guarding;
    this.#shows = report;
    this.#file = fileOf(process.env);
  }

  begin() {
    this.#snapshot = snapshots.offer('guard', () => this.#toSnapshot());
    if (this.#file !== undefined) setRepeated(() => this.#write(), EVERY);
    process.on('exit', () => this.#end());
    if (!this.#shows || !isMainThread) return;
    for (const signal of ENDING) onUnheard(signal, () => this.#end());
    const { UV_SCHEDULER_GUARD_SIGNAL: signal } = process.env;
    if (signal === GOES_ON) onUnheard(signal, () => this.#show(), false);
  }

  // The rows, with their shares of the time for which the thread was active.
  rows() {
    const active = Math.max(activeTime() - this.#activeAt, 1);
    return this.#guarding.routes().map((row) => {
      const { threadTime, requests } = row;
      const mean = threadTime / Math.max(requests - row.refused, 1);
      return { ...row, share: Math.min(threadTime / active, 1), mean };
    });
  }

  // A request has come.
  changed() {
    this.#snapshot.changed();
  }

  #toSnapshot() {
    const report = this.#toJSON(this.rows());
    return { 'application/json': `${JSON.stringify(report)}\n`, 'text/html': toPage(report) };
  }

  #end() {
    this.#show();
    this.#write();
    this.#shows = false;
  }

  #show() {
    const { mode } = this.#guarding;
    const rows = this.rows();
    if (!this.#shows || rows.length === 0) return;
    const elapsed = now() - this.#startedAt;
    const busy = inPercent(Math.min((activeTime() - this.#activeAt) / Math.max(elapsed, 1), 1));
    const title = `mode ${mode}, ${(elapsed / 1000).toFixed(1)} s, the thread was busy for ${busy}`;
    writeLine(title, ...toTable(rows, mode === 'observe'), ...wrapped(toAdvice(rows, mode)));
  }

  #write() {
    if (this.#file === undefined) return;
    const rows = this.rows();
    const count = rows.reduce((sum, { requests }) => sum + requests, 0);
    if (count === this.#lastCount) return;
    this.#lastCount = count;
    try {
      replaceFile(this.#file, `${JSON.stringify(this.#toJSON(rows), undefined, 2)}\n`);
    } catch ({ message }) {
      this.#file = undefined;
      writeLine(`UV_SCHEDULER_GUARD_FILE cannot be written: ${message}`);
    }
  }

  // Times are in ms.
  #toJSON(rows) {
    const { mode } = this.#guarding;
    return {
      schema: SCHEMA,
      pid: process.pid,
      threadId,
      node: process.versions.node,
      beganAt: new Date(this.#beganAt).toISOString(),
      mode,
      active: round(activeTime() - this.#activeAt),
      advice: rows.length > 0 ? toAdvice(rows, mode) : '',
      routes: rows.slice(0, MOST_WRITTEN).map((row) => ({
        ...row,
        threadTime: round(row.threadTime),
        mean: round(row.mean),
        longest: round(row.longest),
        share: round(row.share),
        wait: { p50: round(row.wait.p50), p99: round(row.wait.p99) },
      })),
    };
  }
}

// Calls `work` at a signal for which the program has never had a listener. The signal then ends the
// process as without this one, if `ends`.
function onUnheard(signal, work, ends = true) {
  if (listensTo(signal, 0)) return;
  const stop = () => {
    process.off(signal, listener);
    process.off('newListener', stopForOther);
  };
  // Not in the event itself: Node would stop to listen, as it listens for the other one already.
  const stopForOther = (name) => {
    if (name === signal) process.nextTick(() => listensTo(signal, 1) && stop());
  };
  const listener = () => {
    work();
    if (!ends) return;
    stop();
    process.kill(process.pid, signal);
  };
  process.on(signal, listener);
  process.on('newListener', stopForOther);
}

module.exports = { Report };

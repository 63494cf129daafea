'use strict';

// The page /scheduler of the site: shows live what the tasks of this process do. Owns a monitor and
// the connections that its figures are sent on, as server-sent events. Nearly all are totals since
// the start, so an event that is missed, or a connection that breaks, loses nothing: the files of
// scheduler-page/, which run in the browser, work out what has changed. Percentiles cannot be
// subtracted, so they come from a second monitor, which begins again every ten seconds.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { monitorTasks, reportSlowTasks } = require('uv-scheduler/watch');

const FOLDER = path.join(__dirname, 'scheduler-page');

// The interval at which the figures are sent, in milliseconds.
const INTERVAL = 500;

// The time that the second monitor measures, and that the slowest callbacks are remembered.
const PERIOD = 10_000;
const MINUTE = 60_000;

const MOST_LABELS = 12;
const MOST_KEYS = 8;

// Which callbacks and waits are told of as they come, in milliseconds, and how many of them.
const SLOW = { duration: 50, wait: 1000 };
const MOST_REPORTS = 8;

// After how many milliseconds a browser that has lost its connection opens another.
const RETRY = 1000;

const SECURITY = {
  'content-security-policy': 'default-src \'none\'; style-src \'self\'; script-src \'self\'; '
    + 'connect-src \'self\'; img-src data:; base-uri \'none\'; form-action \'none\'; '
    + 'frame-ancestors \'none\'',
  'x-content-type-options': 'nosniff',
};

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
};

function timesOf({ count, sum, buckets }) {
  // The buckets of the monitor are cumulative.
  const counts = buckets.map((bucket, i) => bucket.count - (buckets[i - 1]?.count ?? 0));
  return { count, sum, counts };
}

function figuresOf({ wait, duration, queued, oldest, running, completed, failed, aborted }) {
  return {
    wait: timesOf(wait), duration: timesOf(duration),
    queued, oldest, running, completed, failed, aborted,
  };
}

/** The percentiles of the last period, or of the first one so far, while somebody asks for them. */
class RecentPercentiles {
  #monitor = monitorTasks();
  #begun;
  #last;

  start() {
    this.#last = undefined;
    this.#begun = performance.now();
    this.#monitor.reset();
    this.#monitor.enable();
  }

  stop() {
    this.#monitor.disable();
  }

  read() {
    if (performance.now() - this.#begun >= PERIOD) {
      this.#last = this.#percentiles();
      this.#begun = performance.now();
      this.#monitor.reset();
    }
    return this.#last ?? this.#percentiles();
  }

  #percentiles() {
    const { priorities } = this.#monitor.toJSON();
    const of = ({ count, percentiles }) => (count > 0 ? percentiles : null);
    return Object.fromEntries(Object.entries(priorities).map(([priority, times]) => {
      return [priority, { wait: of(times.wait), duration: of(times.duration) }];
    }));
  }
}

/** The last slow callbacks and long waits, while somebody asks for them. The newest is first. */
class RecentReports {
  #reports = [];
  #controller;

  start() {
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    reportSlowTasks((report) => {
      if (report.type === 'priority') return;
      this.#reports = [briefOf(report), ...this.#reports].slice(0, MOST_REPORTS);
    }, { ...SLOW, signal });
  }

  stop() {
    this.#controller.abort();
  }

  read() {
    return this.#reports;
  }
}

function briefOf({ type, kind, label, priority, startedAt, duration, wait, waitedFor }) {
  const [most] = waitedFor ?? [];
  return {
    kind, label, priority, startedAt,
    hasWaited: type === 'wait',
    time: type === 'wait' ? wait : duration,
    behind: most && { label: most.label || most.kind, share: most.share },
  };
}

/** The results of an admission, if there is one, for each priority that had requests. */
function requestsOf(admission) {
  const counts = Object.entries(admission?.counts() ?? {}).map(([priority, each]) => {
    const { admitted, refused, left, queued, wait } = each;
    const mean = wait.count > 0 ? wait.mean : null;
    return { priority, admitted, refused, left, queued, mean };
  });
  return counts.filter(({ admitted, refused, left, queued }) => {
    const all = [admitted, left, queued, ...Object.values(refused)];
    return all.some((count) => count > 0);
  });
}

/** Returns all that the page shows. */
function figures(monitor, percentiles, reports, admission) {
  const priorities = Object.entries(monitor.priorities);
  const [[, { wait }]] = priorities;
  return {
    // Tells one process from the next at the same address.
    process: `${process.pid} ${performance.timeOrigin}`,
    host: os.hostname(),
    pid: process.pid,
    node: process.version,
    uptime: process.uptime() * 1000,
    at: performance.now(),
    time: monitor.time,
    heldTime: monitor.heldTime,
    // The last bucket has no bound.
    bounds: wait.buckets.slice(0, -1).map(({ le }) => le),
    priorities: Object.fromEntries(
      priorities.map(([priority, statistics]) => [priority, figuresOf(statistics)])),
    percentiles: percentiles.read(),
    requests: requestsOf(admission),
    labels: monitor.labels.slice(0, MOST_LABELS),
    keys: monitor.keys.slice(0, MOST_KEYS),
    longest: monitor.longest,
    reports: reports.read(),
  };
}

/** Sends the figures to all who listen. While nobody does, no timer runs. */
class Broadcast {
  #monitor;
  #listeners = new Set();
  #timer;
  #percentiles = new RecentPercentiles();
  #reports = new RecentReports();
  #admission;

  constructor(monitor, admission) {
    this.#monitor = monitor;
    this.#admission = admission;
  }

  add(res) {
    if (this.#listeners.size === 0) {
      this.#percentiles.start();
      this.#reports.start();
    }
    this.#listeners.add(res);
    res.on('close', () => this.#remove(res));
    res.write(`retry: ${RETRY}\n\n${this.#event()}`);
    this.#timer ??= setInterval(() => this.#send(), INTERVAL);
  }

  #remove(res) {
    this.#listeners.delete(res);
    if (this.#listeners.size > 0) return;
    this.#percentiles.stop();
    this.#reports.stop();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #event() {
    const all = figures(this.#monitor, this.#percentiles, this.#reports, this.#admission);
    return `data: ${JSON.stringify(all)}\n\n`;
  }

  #send() {
    const event = this.#event();
    for (const res of this.#listeners) {
      // A client that does not read fast enough gets the totals of a later time.
      if (!res.writableNeedDrain) res.write(event);
    }
  }

  end() {
    for (const res of this.#listeners) res.end();
  }
}

function readFiles() {
  return fs.readdirSync(FOLDER).map((name) => {
    const headers = { ...SECURITY, 'content-type': TYPES[path.extname(name)] };
    const body = fs.readFileSync(path.join(FOLDER, name));
    return [name, (req, res) => res.writeHead(200, headers).end(body)];
  });
}

/**
 * Returns the functions that answer requests, by path, and one that ends the connections of all who
 * listen. The page shows what the admission has counted, if there is one.
 */
function createSchedulerPage(admission) {
  const monitor = monitorTasks({ window: MINUTE });
  monitor.enable();
  const broadcast = new Broadcast(monitor, admission);
  const files = new Map(readFiles());
  const routes = new Map([['/scheduler', files.get('index.html')]]);
  files.delete('index.html');
  for (const [name, answer] of files) routes.set(`/scheduler/${name}`, answer);
  routes.set('/scheduler/events', (req, res) => {
    res.writeHead(200, {
      'content-type': 'text/event-stream', 'cache-control': 'no-store', ...SECURITY,
    });
    if (req.method === 'HEAD') res.end();
    else broadcast.add(res);
  });
  return { routes, end: () => broadcast.end() };
}

module.exports = { createSchedulerPage };

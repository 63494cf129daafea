'use strict';

// What the requests of each route took: thread time and waits, and how many were refused.

const { Routes, pathOf } = require('../../routes.js');
const { routeOn } = require('../points.js');

const MOST_ROUTES = 1000;
const OTHERS = '(others)';

// The upper bounds of the counts of waits in ms: half an octave each, up to 105 s. A Distribution
// would take 23 kB for each route.
const LEAST = 0.1;
const BOUNDS = Float64Array.from({ length: 41 }, (_, i) => LEAST * 2 ** (i / 2));

// The signs of a pattern that matches any number of segments.
const OPEN = /[*?+({]/;

const stepOf = (wait) => {
  if (wait <= LEAST) return 0;
  return Math.min(Math.ceil(2 * Math.log2(wait / LEAST)), BOUNDS.length - 1);
};

class Row {
  route;
  requests = 0;
  threadTime = 0;
  // The longest time for which one blocked the thread, in ms.
  longest = 0;
  refused = 0;
  wouldRefuse = 0;
  left = 0;
  #waits = undefined;

  constructor(route) {
    this.route = route;
  }

  // A request has used the thread for so many ms.
  add({ used, longest }) {
    this.threadTime += used;
    this.longest = Math.max(this.longest, longest);
  }

  note(wait) {
    this.#waits ??= new Uint32Array(BOUNDS.length);
    this.#waits[stepOf(wait)]++;
  }

  #percentile(percent) {
    if (this.#waits === undefined) return 0;
    let left = this.#waits.reduce((sum, each) => sum + each, 0) * percent / 100;
    const step = this.#waits.findIndex((each) => (left -= each) <= 0);
    return step === 0 ? 0 : BOUNDS[step];
  }

  read() {
    const { route, requests, threadTime, longest, refused, wouldRefuse, left } = this;
    const wait = { p50: this.#percentile(50), p99: this.#percentile(99) };
    return { route, requests, threadTime, longest, wait, refused, wouldRefuse, left };
  }

  copy() {
    const copy = Object.assign(new Row(this.route), this);
    copy.#waits = this.#waits;
    return copy;
  }
}

const segmentsOf = (path) => path.split('/').filter((segment) => segment !== '').length;

// Whether a route with a pattern has such a path. Behind their routers, Express and its like have
// forgotten the first part of the path, to which the pattern was added.
function mayName(route, path) {
  const pattern = route.slice(route.indexOf(' ') + 1);
  return OPEN.test(pattern) || segmentsOf(pattern) === segmentsOf(path);
}

class RouteTable {
  #routes = new Routes();
  #rows = new Map();
  // The framework's names of the routes that are named by their paths here.
  #names = new Map();
  #running = new Set();

  // The route of a request that arrives.
  nameOf({ method, url }, now) {
    return this.#routes.nameOf(method ?? '', pathOf(url ?? ''), now);
  }

  #rowOf(name) {
    let row = this.#rows.get(name);
    if (row === undefined) {
      if (this.#rows.size > MOST_ROUTES) name = OTHERS;
      row = this.#rows.get(name) ?? new Row(name);
      this.#rows.set(name, row);
    }
    return row;
  }

  refused(route) {
    const row = this.#rowOf(this.#names.get(route) ?? route);
    row.requests++;
    row.refused++;
  }

  // A visit runs, which has `route`, and then `used` and `longest`.
  begin(visit) {
    this.#running.add(visit);
  }

  // It ends after a wait in ms.
  end(visit, request, { wait, wouldRefuse, hasLeft }, now) {
    this.#running.delete(visit);
    const name = this.#finalName(visit.route, request, now);
    const row = this.#rowOf(name);
    row.requests++;
    row.add(visit);
    row.note(wait);
    if (wouldRefuse) row.wouldRefuse++;
    if (hasLeft) row.left++;
  }

  // A visit that has ended used so many ms more.
  addLate({ route, longest }, time) {
    this.#rowOf(this.#names.get(route) ?? route).add({ used: time, longest });
  }

  // Express and its like name the route when they have found it, and OpenTelemetry that of others.
  #finalName(route, request, now) {
    const name = this.#foundName(request, now);
    if (name === undefined) return route;
    if (this.#names.get(route) !== name) {
      if (this.#names.size >= MOST_ROUTES) this.#names.clear();
      this.#names.set(route, name);
    }
    return name;
  }

  #foundName(request, now) {
    const { route: found, baseUrl, originalUrl, url, method } = request;
    if (typeof found?.path === 'string') {
      const base = baseUrl ? this.#routes.nameOf(method ?? '', `${baseUrl}`, now) : `${method} `;
      const name = base + (found.path === '/' && baseUrl ? '' : found.path);
      return mayName(name, pathOf(originalUrl ?? url ?? '')) ? name : undefined;
    }
    const traced = routeOn(request);
    return traced === undefined ? undefined : `${method} ${traced}`;
  }

  // The rows of requests that have ended, with the first route first.
  ended() {
    return [...this.#rows.values()];
  }

  // The rows with most thread time first.
  read() {
    const rows = new Map(this.#rows);
    for (const visit of this.#running) {
      const name = this.#names.get(visit.route) ?? visit.route;
      const row = rows.get(name)?.copy() ?? new Row(name);
      row.requests++;
      row.add(visit);
      rows.set(name, row);
    }
    const read = [...rows.values()].map((row) => row.read());
    return read.sort((one, other) => other.threadTime - one.threadTime);
  }
}

module.exports = { OTHERS, RouteTable };

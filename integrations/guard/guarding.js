'use strict';

// A guard at work: the admission behind the hook of index.js, loaded with the first request.

const httpPart = require('../http/index.js');
const { time } = require('../internal.js');
const { pathOf } = require('../routes.js');
const { writeLine } = require('../report/lines.js');
const { Watcher } = require('./configuration.js');
const { CRAWLERS } = require('./crawlers.js');
const { Probes } = require('./probes.js');
const { Report } = require('./report.js');

const { admissionWith } = httpPart[Symbol.for('uv-scheduler.internal')];
const { now, setRepeated } = time;

// How often a file is looked at, in ms.
const EVERY = 5000;

// The most kept user agents, and their longest part that is read.
const MOST_AGENTS = 1000;
const LONGEST_AGENT = 300;

// Whether requests are those of known crawlers.
class Agents {
  #known = new Map();

  isCrawler({ headers: { 'user-agent': agent } }) {
    if (agent === undefined) return false;
    const name = agent.slice(0, LONGEST_AGENT);
    let isCrawler = this.#known.get(name);
    if (isCrawler !== undefined) return isCrawler;
    isCrawler = CRAWLERS.test(name);
    if (this.#known.size >= MOST_AGENTS) this.#known.clear();
    this.#known.set(name, isCrawler);
    return isCrawler;
  }
}

const cookieOf = ({ headers: { cookie = '' } }, name) => {
  const own = cookie.split(';').find((each) => each.trimStart().startsWith(`${name}=`));
  return own?.slice(own.indexOf('=') + 1);
};

// The fairness key of requests, as the option `key` names it.
function toKey(key = 'route') {
  if (key === 'route') return key;
  if (key === 'address') return ({ socket }) => socket?.remoteAddress;
  if (typeof key === 'function') return key;
  if (key.cookie !== undefined) return (request) => cookieOf(request, key.cookie);
  const header = key.header.toLowerCase();
  return ({ headers }) => headers[header]?.toString();
}

class Guarding {
  #mode;
  #admission;
  #agents = new Agents();
  #probes = new Probes();
  #rules;
  #report;
  #isFailing = false;

  constructor(settings) {
    const { crawlers = true, key, maxHeap, maxQueued, maxRunning, priorities = [] } = settings;
    this.#mode = settings.mode ?? 'observe';
    this.#rules = priorities;
    this.#admission = admissionWith({
      classify: (request) => this.#safely(() => this.#priorityOf(request, crawlers)),
      fairnessKey: this.#safeKey(toKey(key)),
      routes: true,
      refuseAfter: settings.refuseAfter,
      maxHeap, maxQueued, maxRunning,
    });
    this.#report = new Report(this, settings);
    this.#report.begin();
    if (settings.file !== undefined) this.#watch(settings);
  }

  get mode() {
    return this.#mode;
  }

  routes() {
    return this.#admission.routes();
  }

  // Takes a request from a server, whose listeners `pass` calls. Returns what emit() does.
  take(request, response, pass) {
    if (this.#mode === 'off') return pass();
    this.#report.changed();
    if (this.#mode === 'observe') return this.#admission.observe(request, response, pass);
    if (this.#probes.take(request, pathOf(request.url), now())) {
      return this.#admission.observe(request, response, pass, (used) => this.#probes.used(used));
    }
    this.#admission.admit(request, response, pass).catch((error) => {
      // As where the server itself calls the listener.
      process.nextTick(() => {
        throw error;
      });
    });
    return true;
  }

  #priorityOf(request, crawlers) {
    const path = this.#rules.length > 0 ? pathOf(request.url) : undefined;
    const rule = this.#rules.find(({ matches }) => matches(request.method, path));
    if (rule !== undefined) return rule.priority;
    return crawlers && this.#agents.isCrawler(request) ? 'background' : 'user-visible';
  }

  #safeKey(key) {
    return typeof key === 'string' ? key : (request) => this.#safely(() => {
      const value = key(request);
      return value === undefined ? undefined : `${value}`;
    });
  }

  // An error of the configuration's code fails no request.
  #safely(work) {
    try {
      return work();
    } catch (error) {
      if (this.#isFailing) return undefined;
      this.#isFailing = true;
      writeLine(`a function of the guard's configuration has failed: ${error?.message}`);
      return undefined;
    }
  }

  #watch({ file, time: readAt }) {
    const watcher = new Watcher(file, readAt);
    const change = (mode) => {
      if (mode === this.#mode) return;
      writeLine(`the mode of the guard is ${mode} now, in place of ${this.#mode}`);
      this.#mode = mode;
    };
    setRepeated(() => {
      watcher.look(change).catch(({ message }) => {
        writeLine(`the mode of the guard stays ${this.#mode}: ${message}`);
      });
    }, EVERY);
  }
}

const begin = (settings) => new Guarding(settings);

module.exports = { begin };

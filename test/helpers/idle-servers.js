'use strict';

// Servers with background work that never ends, the program of bench/idle, in control groups of
// their own; and what can be counted of them. Without a group the counts of periods are zeros.

const assert = require('node:assert/strict');
const { fork } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { calibrate } = require('../../bench/idle/work.js');
const { bound } = require('../../bench/harness/processes.js');
const { createControlGroup } = require('./control-group.js');

const SERVER = path.resolve(__dirname, '../../bench/idle/server.js');

// A program that never sleeps.
const BURNER = 'for (;;);';

// Of the periods: so few are throttled where background work is held.
const FEW = 0.15;

// With a page of 3 ms, requests take a third of a quota of a quarter of a processor.
const INTERVAL = 40;

// Between two questions, in ms.
const PAUSE = 100;

let sizes;

// How much work takes a millisecond here is measured once.
const sizesHere = () => (sizes ??= calibrate());

/**
 * A server in a group. `contender` is one of bench/idle/contenders.js; with `threads` that many
 * workers do its background work; it may use these processors, or any of them.
 */
class IdleServer {
  #child;
  url;

  static async start(group, { contender, threads = 0, processors = null }) {
    const server = new IdleServer();
    const options = JSON.stringify({ contender, threads, sizes: sizesHere() });
    const node = bound(processors, process.execPath, process.execArgv);
    const [execPath, execArgv] = group.command(...node);
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
    server.#child = fork(SERVER, [options], { execPath, execArgv, stdio });
    [{ url: server.url }] = await once(server.#child, 'message');
    return server;
  }

  async #ask(command) {
    this.#child.send({ command });
    const [{ result }] = await once(this.#child, 'message');
    return result;
  }

  /** Begins the background work. */
  start() {
    return this.#ask('start');
  }

  /** The pieces of background work that each thread has done so far, and ms of processor time. */
  read() {
    return this.#ask('read');
  }

  async end() {
    const ended = once(this.#child, 'exit');
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** Asks for a page now and then. `stop()` resolves to the answers, which are status codes. */
class Requests {
  #agent = new http.Agent({ keepAlive: true });
  #answers = [];
  #timer;

  constructor({ url }) {
    this.#timer = setInterval(() => this.#answers.push(this.#request(`${url}/page`)), INTERVAL);
  }

  // An error is also an answer.
  #request(url) {
    return new Promise((resolve) => {
      http.get(url, { agent: this.#agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      }).on('error', resolve);
    });
  }

  async stop() {
    clearInterval(this.#timer);
    const answers = await Promise.all(this.#answers);
    this.#agent.destroy();
    return answers;
  }
}

function assertAnswered(answers) {
  assert.ok(answers.length > 0);
  assert.deepEqual(answers.filter((answer) => answer !== 200), []);
}

/** The share of the periods of the next `ms` milliseconds in which the group is throttled. */
async function throttledShare(group, ms) {
  const before = group.read();
  await sleep(ms);
  const after = group.read();
  return (after.throttled - before.throttled) / Math.max(1, after.periods - before.periods);
}

/** Waits until `condition()` resolves to true. What asks must not want a processor all the time. */
async function until(condition, limit) {
  const deadline = performance.now() + limit;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `not within ${limit} ms`);
    await sleep(PAUSE);
  }
}

/**
 * Calls `work` with a group, with what starts servers in it, gives it a quota of so many ms in each
 * 100, and sends requests. Ends all of that.
 */
async function withGroup(quota, work) {
  const group = await createControlGroup();
  const servers = [];
  const requests = [];
  const start = async (options) => {
    const server = await IdleServer.start(group, options);
    servers.push(server);
    return server;
  };
  const requestPages = (server) => {
    requests.push(new Requests(server));
    return requests.at(-1);
  };
  // Starting is no part of it.
  const limit = () => group.setQuota(quota);
  try {
    return await work({ group, start, limit, requestPages });
  } finally {
    const stopped = requests.map((each) => each.stop());
    for (const server of servers) await server.end();
    await Promise.all(stopped);
    await group.remove();
  }
}

module.exports = { BURNER, FEW, assertAnswered, throttledShare, until, withGroup };

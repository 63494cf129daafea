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
const { createControlGroup } = require('../../bench/idle/control-group.js');

const SERVER = path.resolve(__dirname, '../../bench/idle/server.js');

// Of the periods: so few are throttled where background work is held.
const FEW = 0.15;

// With a page of 3 ms, requests take a third of a quota of a quarter of a processor.
const INTERVAL = 40;

// Between two questions, in ms.
const PAUSE = 100;

let sizes;

// How much work takes a millisecond here is measured once.
const sizesHere = () => (sizes ??= calibrate());

// Starts a server in a group. `contender` is one of bench/idle/contenders.js; it may use these
// processors, or any of them.
async function startServer(group, { contender, processors = null }) {
  const options = JSON.stringify({ contender, threads: 0, sizes: sizesHere() });
  const node = bound(processors, process.execPath, process.execArgv);
  const [execPath, execArgv] = group.command(...node);
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
  const child = fork(SERVER, [options], { execPath, execArgv, stdio });
  const [{ url }] = await once(child, 'message');
  const ask = async (command) => {
    child.send({ command });
    const [{ result }] = await once(child, 'message');
    return result;
  };
  return {
    url,
    // Begins the background work.
    start: () => ask('start'),
    // The pieces of background work that each thread has done so far, and ms of processor time.
    read: () => ask('read'),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

// Asks for a page now and then. `stop()` resolves to the answers, which are status codes or errors.
function beginRequests({ url }) {
  const agent = new http.Agent({ keepAlive: true });
  const ask = () => new Promise((resolve) => {
    http.get(`${url}/page`, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', resolve);
  });
  const asked = [];
  const timer = setInterval(() => asked.push(ask()), INTERVAL);
  return {
    async stop() {
      clearInterval(timer);
      const answers = await Promise.all(asked);
      agent.destroy();
      return answers;
    },
  };
}

function assertAnswered(answers) {
  assert.ok(answers.length > 0);
  assert.deepEqual(answers.filter((answer) => answer !== 200), []);
}

// The share of the periods of the next `ms` milliseconds in which the group is throttled.
async function throttledShare(group, ms) {
  const before = group.read();
  await sleep(ms);
  const after = group.read();
  return (after.throttled - before.throttled) / Math.max(1, after.periods - before.periods);
}

// Waits until `condition()` resolves to true. What asks must not want a processor all the time.
async function until(condition, limit) {
  const deadline = performance.now() + limit;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `not within ${limit} ms`);
    await sleep(PAUSE);
  }
}

// Calls `work` with a group, with what starts servers in it, gives it a quota of so many ms in each
// 100, and sends requests. Ends all of that.
async function withGroup(quota, work) {
  const group = await createControlGroup();
  const servers = [];
  const requests = [];
  const start = async (options) => {
    const server = await startServer(group, options);
    servers.push(server);
    return server;
  };
  const requestPages = (server) => {
    requests.push(beginRequests(server));
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

module.exports = { FEW, assertAnswered, throttledShare, until, withGroup };

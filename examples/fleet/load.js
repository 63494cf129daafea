'use strict';

// The load process: asks servers for pages at random times, whether or not earlier ones have been
// answered, as visitors do who know nothing of each other. Also asks for /health.

const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');

const { serveParent } = require('../docs-site/children');
const { get } = require('../docs-site/load');

const HEALTH_INTERVAL = 20;

// The same numbers in every run with the same seed, so that runs with and without jobs have the
// same visitors.
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Visits a server for a time; `rate` is in pages per second. */
async function visit({ url, paths, rate, seconds, seed }) {
  const agent = new http.Agent({ keepAlive: true });
  const random = createRandom(seed);
  const result = { pages: [], health: [] };
  const pending = [];
  const ask = (path, times) => {
    pending.push(get(agent, url + path).then(({ complete }) => times.push(complete)));
  };
  const start = performance.now();
  const isOver = () => performance.now() - start >= seconds * 1000;
  const health = (async () => {
    while (!isOver()) {
      ask('/health', result.health);
      await sleep(HEALTH_INTERVAL);
    }
  })();
  let next = 0;
  while (!isOver()) {
    next += -Math.log(1 - random()) / rate * 1000;
    const path = paths[Math.floor(random() * paths.length)];
    const wait = next - (performance.now() - start);
    if (wait > 0) await sleep(wait);
    ask(path, result.pages);
  }
  await health;
  await Promise.all(pending);
  agent.destroy();
  return result;
}

/** Fetches every page, one after the other. */
async function fetchAll({ url, paths }) {
  const agent = new http.Agent({ keepAlive: true });
  for (const path of paths) await get(agent, url + path);
  agent.destroy();
}

serveParent({
  fetchAll,
  /** Visits several servers at once. Returns their results in this order. */
  visit: ({ targets }) => Promise.all(targets.map(visit)),
});

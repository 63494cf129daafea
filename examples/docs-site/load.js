'use strict';

// The load process: visits the pages and reports its measurements. It gets only the server's
// address and the paths of its pages.

const crypto = require('node:crypto');
const http = require('node:http');

const autocannon = require('autocannon');

const { serveParent } = require('./children');

const HEALTH_INTERVAL = 10;
const VISITORS = 6;
// Between two pages a visitor reads for up to this many milliseconds.
const READING = 40;
const CONNECTIONS = 8;
const TIMEOUT = 30000;
// Where visitors leave early, every fifth one does.
const LEAVES = 5;

/** Fetches an address; the times are milliseconds since the call. */
function get(agent, url, { hash, timeout = TIMEOUT } = {}) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const req = http.get(url, { agent, timeout }, (res) => {
      const first = performance.now() - start;
      if (res.statusCode !== 200) reject(new Error(`${url}: status ${res.statusCode}`));
      res.on('data', (chunk) => hash?.update(chunk));
      res.on('error', reject);
      res.on('end', () => resolve({ first, complete: performance.now() - start }));
    });
    req.on('timeout', () => req.destroy(new Error(`${url}: no answer for ${timeout} ms`)));
    req.on('error', reject);
  });
}

function append(result, { first, complete }) {
  result.first.push(first);
  result.complete.push(complete);
}

/** Asks for a page and leaves as soon as the first bytes arrive. */
function leave(agent, url) {
  return new Promise((resolve, reject) => {
    const req = http.get(url, { agent, timeout: TIMEOUT }, (res) => {
      res.on('error', () => {});
      res.once('data', () => req.destroy());
    });
    req.on('timeout', () => reject(new Error(`${url}: no answer for ${TIMEOUT} ms`)));
    req.on('error', reject);
    req.on('close', resolve);
  });
}

/**
 * Returns the hash of every page, or all its hashes if they differ. Several clients fetch at once,
 * so that the pages compete.
 */
async function hashPages({ url, paths, times }) {
  const agent = new http.Agent({ keepAlive: true });
  const hashes = new Map(paths.map((path) => [path, new Set()]));
  const rest = Array.from({ length: times }, () => paths).flat().values();
  const client = async () => {
    for (const path of rest) {
      const hash = crypto.createHash('sha256');
      await get(agent, url + path, { hash });
      hashes.get(path).add(hash.digest('hex'));
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, client));
  agent.destroy();
  return Object.fromEntries([...hashes].map(([path, set]) => [path, [...set].join()]));
}

/** Visits the pages of the list in turn, and stops at the end of the list if `mayEnd()` is true. */
async function visitPages({ paths, visitors, reading, mayEnd, visitPage }) {
  let next = 0;
  const visitor = async () => {
    for (;;) {
      if (next % paths.length === 0 && mayEnd()) return;
      const turn = next++;
      await visitPage(paths[turn % paths.length]);
      // Irregular, but the same in every run.
      const pause = (turn * 7919) % (reading + 1);
      if (reading > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  await Promise.all(Array.from({ length: visitors }, visitor));
}

/**
 * Simulates visitors who read: each loads a page, pauses, and loads the next one of the list. It
 * stops at the end of the list, so that every strategy is measured with the same mix of pages. It
 * sends a health check every 10 ms without waiting for answers, so that a slow one delays no other.
 */
async function visit({ url, paths, seconds }) {
  const agent = new http.Agent({ keepAlive: true });
  const result = { health: [], first: [], complete: [] };
  const begin = performance.now();
  const pending = new Set();
  const timer = setInterval(() => {
    const check = get(agent, `${url}/health`).then(({ complete }) => {
      result.health.push(complete);
      pending.delete(check);
    });
    pending.add(check);
    // The `await` below reports the error.
    check.catch(() => {});
  }, HEALTH_INTERVAL);

  await visitPages({
    paths, visitors: VISITORS, reading: READING,
    mayEnd: () => performance.now() - begin >= seconds * 1000,
    async visitPage(path) {
      append(result, await get(agent, url + path));
    },
  });
  clearInterval(timer);
  await Promise.all(pending);
  agent.destroy();
  result.elapsed = performance.now() - begin;
  return result;
}

/** Visits page after page, one at a time. */
async function visitAlone({ url, paths, seconds }) {
  const agent = new http.Agent({ keepAlive: true });
  const result = { first: [], complete: [] };
  const begin = performance.now();
  await visitPages({
    paths, visitors: 1, reading: 0,
    mayEnd: () => performance.now() - begin >= seconds * 1000,
    async visitPage(path) {
      append(result, await get(agent, url + path));
    },
  });
  agent.destroy();
  return result;
}

/** Visits page after page without a pause; every fifth visitor leaves early. */
async function visitAndLeave({ url, paths, seconds }) {
  const agent = new http.Agent({ keepAlive: true });
  const result = { pages: 0, left: 0 };
  const begin = performance.now();
  let visit = 0;
  await visitPages({
    paths, visitors: CONNECTIONS, reading: 0,
    mayEnd: () => performance.now() - begin >= seconds * 1000,
    async visitPage(path) {
      // Others in each pass through the list.
      const offset = Math.floor(visit / paths.length);
      if ((visit++ + offset) % LEAVES === 0) {
        await leave(agent, url + path);
        result.left += 1;
      } else {
        await get(agent, url + path);
        result.pages += 1;
      }
    },
  });
  agent.destroy();
  result.elapsed = performance.now() - begin;
  return result;
}

/** Fetches as many pages as the server can deliver, again by whole lists. */
async function saturate({ url, paths, seconds }) {
  const result = { pages: 0, elapsed: 0 };
  while (result.elapsed < seconds * 1000) {
    let connection = 0;
    let last = 0;
    const begin = performance.now();
    const instance = autocannon({
      url,
      connections: CONNECTIONS,
      amount: paths.length,
      // autocannon checks only this often whether it is done, so the end is measured here.
      sampleInt: 50,
      // Each connection gets a part of the list; otherwise all would request the same page at once.
      setupClient(client) {
        const i = connection++;
        const start = i * Math.floor(paths.length / CONNECTIONS)
          + Math.min(i, paths.length % CONNECTIONS);
        client.setRequests(
          [...paths.slice(start), ...paths.slice(0, start)].map((path) => ({ path })));
      },
    });
    instance.on('response', () => {
      last = performance.now();
    });
    const { '2xx': good, errors, non2xx } = await instance;
    if (errors + non2xx > 0 || good !== paths.length) {
      throw new Error(`only ${good} of ${paths.length} pages were answered`);
    }
    result.pages += good;
    result.elapsed += last - begin;
  }
  return result;
}

module.exports = { get, hashPages };

if (require.main === module) {
  serveParent({ hashPages, visit, visitAlone, visitAndLeave, saturate });
}
